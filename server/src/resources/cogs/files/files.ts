/**
 * Files for workflows: the files behind given cogs, and results as new files. Everything runs in
 * the caller's transaction, and a taken name never aborts it.
 */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { notFound } from '../../../errors.ts';
import { requireLive } from '../../../objects/objects.ts';
import { lockTree, type Reached, reach, requireAccessToAll } from '../../permissions/access.ts';
import { allows, ownsWhatIsInside } from '../../permissions/rules.ts';
import { findUser } from '../../users/users.ts';
import { addFolder } from '../cogs.ts';
import { checkedName, numberedName } from '../places/names.ts';
import { outputsRootId, requireFreeName } from '../places/outputs-root.ts';
import { rootId } from '../places/root.ts';
import { addFileRows, findFreeNames, findOwnFolders, lockFolder } from '../queries.ts';
import { findFilesBelow, type ReadableFile } from './queries.ts';

export type { ReadableFile };

/** The cogs stand for more files than allowed. */
export class TooManyFiles extends Error {}

/**
 * The files these cogs stand for: a file for itself, a folder for all files in it that the caller
 * may see, at any depth. In the order of ids, those of a folder by path; each once.
 *
 * @param most the maximum; a file counts each time that a cog stands for it.
 * @throws DomainError `not_found` or `forbidden` if the caller may not see one of the cogs.
 * @throws TooManyFiles if there are more.
 */
export async function readableFiles(
  db: Db,
  caller: Caller,
  cogIds: readonly number[],
  most?: number,
): Promise<ReadableFile[]> {
  if (cogIds.length === 0) return [];
  const cogs = await requireAccessToAll(db, caller, cogIds, 'view');
  const starts = cogs.map((cog) => ({
    id: cog.id,
    sees_all: caller.role === 'admin' || cog.grant !== undefined,
  }));
  const files = await findFilesBelow(db, caller, starts, most === undefined ? null : most + 1);
  if (most !== undefined && files.length > most) throw new TooManyFiles();
  const first = new Map<number, ReadableFile>();
  for (const file of files) if (!first.has(file.cog_id)) first.set(file.cog_id, file);
  return [...first.values()];
}

/**
 * The folder at the end of a path below a folder (below the folder for results, if null). Missing
 * folders are created and belong to the owner. Concurrent calls get the same folders; if a file or
 * another user's folder is in the way, the new folder gets a number.
 *
 * @throws DomainError 404 if the base folder is gone, 409 `depth_limit`.
 */
export async function ensureFolderPath(
  tx: Db,
  tenantId: number,
  ownerId: number,
  parentId: number | null,
  names: readonly string[],
): Promise<number> {
  const owner = await requireMember(tx, tenantId, ownerId);
  await lockTree(tx, tenantId, 'add');
  let id = parentId ?? (await outputsRootId(tx, tenantId, await rootId(tx, owner)));
  for (const given of names) {
    const parent = await hold(tx, owner, id);
    id = await ensureOwnFolder(tx, owner, parent, checkedName(given));
  }
  return id;
}

/**
 * A new folder at the end of such a path, numbered if the name is taken: an existing one may belong
 * to other users, who could then read the contents.
 *
 * @throws DomainError like `ensureFolderPath`.
 */
export async function addFolderBelow(
  tx: Db,
  tenantId: number,
  ownerId: number,
  parentId: number | null,
  path: readonly string[],
  name: string,
): Promise<number> {
  const id = await ensureFolderPath(tx, tenantId, ownerId, parentId, path);
  const owner = await requireMember(tx, tenantId, ownerId);
  return ensureOwnFolder(tx, owner, await hold(tx, owner, id), checkedName(name), 'new');
}

/**
 * Which of these folders exist; `open` if the user may add to them now. A disabled user may do
 * nothing.
 */
export async function openFolders(
  db: Db,
  tenantId: number,
  userId: number,
  ids: readonly number[],
): Promise<Map<number, 'open' | 'closed'>> {
  if (ids.length === 0) return new Map();
  const user = await findUser(db, tenantId, userId);
  const who = { tenant_id: tenantId, user_id: userId, role: user?.role ?? 'member' };
  const folders = (await reach(db, who, ids)).filter(({ cog_type }) => cog_type !== 'file');
  const isOpen = ({ access }: Reached) => user?.status === 'active' && allows(access, 'upload');
  return new Map(folders.map((folder) => [folder.id, isOpen(folder) ? 'open' : 'closed']));
}

/**
 * The member's own folder of that name, with a number if another user's folder or a file has the
 * name: a folder's owner sees everything in it, so one member's results never go into another's
 * folder. Nor do they go into their own folder if they may no longer add to it.
 */
async function ensureOwnFolder(
  tx: Db,
  owner: Member,
  parent: Reached,
  name: string,
  which: 'any' | 'new' = 'any',
) {
  const { tenant_id, user_id } = owner;
  for (let first = 1; ; first += 100) {
    const names = Array.from({ length: 100 }, (_, index) =>
      first + index === 1 ? name : numberedName(name, first + index),
    );
    for (;;) {
      const named =
        which === 'new' ? [] : await findOwnFolders(tx, tenant_id, parent.id, user_id, names);
      const open = (await reach(tx, owner, named)).filter(({ access }) => allows(access, 'upload'));
      const own = named.find((id) => open.some((folder) => folder.id === id));
      if (own !== undefined) return own;
      const [free] = await findFreeNames(tx, tenant_id, parent.id, names);
      if (free === undefined) break;
      // Undefined if it was created concurrently; the next look finds it.
      const added = await addFolder(tx, owner, parent, free);
      if (added) return added.id;
    }
  }
}

/** A result of a run that becomes a file; its bytes are stored. */
export type NewResult = { name: string; object_id: number; mime_type: string };

type ResultsFolder = { tenant_id: number; parent_id: number; owner_id: number };

/**
 * Creates files for a run's results; their bytes go live in the same transaction. The caller checks
 * rights. A taken name becomes ` (2)` and so on.
 *
 * @returns each result with its id and its final name, in order.
 * @throws DomainError 409 `name_reserved`, `object_expired`; `not_found` for the folder.
 */
export async function addResults(
  tx: Db,
  { tenant_id, parent_id, owner_id }: ResultsFolder,
  results: readonly NewResult[],
): Promise<{ id: number; name: string }[]> {
  const owner = await requireMember(tx, tenant_id, owner_id);
  const parent = await hold(tx, owner, parent_id);
  const wanted = results.map((result) => ({ ...result, name: checkedName(result.name) }));
  for (const { name } of wanted) requireFreeName(parent, name);
  await requireLive(
    tx,
    wanted.map(({ object_id }) => ({ tenant_id, id: object_id })),
  );
  const folder = { tenant_id, parent_id, owner_id, granted: !ownsWhatIsInside(parent.access) };

  const made = new Map<(typeof wanted)[number], { id: number; name: string }>();
  const next = new Map<string, number>();
  // In the order of names, so that two transactions wait for each other's names in the same order.
  const inOrder = wanted.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  for (let start = 0; start < inOrder.length; start += resultsAtOnce) {
    let left = inOrder.slice(start, start + resultsAtOnce);
    while (left.length > 0) {
      const named = await freshNames(tx, folder, left, next);
      const added = new Map(
        (await addFileRows(tx, folder, named)).map(({ id, name }) => [name, id] as const),
      );
      for (const { result, name } of named) {
        const id = added.get(name);
        if (id !== undefined) made.set(result, { id, name });
      }
      // A name was taken concurrently, or all candidates are taken.
      left = left.filter((result) => !made.has(result));
    }
  }
  return wanted.map((result) => made.get(result) as { id: number; name: string });
}

/** Limits the rows of a statement: a restart may reuse the results of 100,000 lanes. */
const resultsAtOnce = 2000;
/** How many numbers are tried for a name, besides one for each result with that name. */
const spareNames = 100;
/** Above this, no spare names are tried at first: most results have distinct names. */
const fewResults = 100;

/**
 * A name for each result that is free in the folder and among the results, as far as there are any.
 *
 * @param next the next number to try for each name, kept between calls.
 */
async function freshNames<Result extends NewResult>(
  tx: Db,
  { tenant_id, parent_id }: Pick<ResultsFolder, 'tenant_id' | 'parent_id'>,
  results: readonly Result[],
  next: Map<string, number>,
): Promise<{ result: Result; name: string }[]> {
  const ofName = Map.groupBy(results, ({ name }) => name);
  const candidates = new Map(
    [...ofName].map(([name, same]) => {
      const first = next.get(name) ?? 1;
      const spare = results.length > fewResults && first === 1 ? 0 : spareNames;
      const names = Array.from({ length: spare + same.length }, (_, at) =>
        first + at === 1 ? name : numberedName(name, first + at),
      );
      return [name, { first, names }];
    }),
  );
  const free = new Set(
    await findFreeNames(
      tx,
      tenant_id,
      parent_id,
      [...candidates.values()].flatMap(({ names }) => names),
    ),
  );
  return [...ofName].flatMap(([name, same]) => {
    // Two names may become equal once they are numbered.
    const { first = 1, names = [] } = candidates.get(name) ?? {};
    const unused = names.filter((one) => free.delete(one));
    const own = unused.slice(0, same.length);
    for (const one of unused.slice(same.length)) free.add(one);
    const last = own.length < same.length ? names.at(-1) : own.at(-1);
    next.set(name, first + names.indexOf(last ?? '') + 1);
    return same.flatMap((result, at) => {
      const name = own[at];
      return name === undefined ? [] : [{ result, name }];
    });
  });
}

type Member = Pick<Caller, 'tenant_id' | 'user_id' | 'role'>;

async function requireMember(tx: Db, tenantId: number, userId: number): Promise<Member> {
  const user = await findUser(tx, tenantId, userId);
  if (!user) throw notFound('User');
  return { tenant_id: tenantId, user_id: user.id, role: user.role };
}

/** Locks the folder against deletion, and reads what the member may do in it. */
async function hold(tx: Db, who: Member, id: number): Promise<Reached> {
  await lockFolder(tx, who.tenant_id, id);
  const [folder] = await reach(tx, who, [id]);
  if (!folder || folder.cog_type === 'file') throw notFound('Folder');
  return folder;
}
