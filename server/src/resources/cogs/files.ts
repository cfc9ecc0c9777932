/**
 * What workflows need of the tree: the files behind given cogs, and putting results into it.
 * All of it works in the caller's transaction and never aborts it on a name that is taken.
 */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { notFound } from '../../errors.ts';
import { requireLive } from '../../objects/objects.ts';
import { lockTree, type Reached, reach, requireAccessToAll } from '../permissions/access.ts';
import { allows, ownsWhatIsInside } from '../permissions/rules.ts';
import { findUser } from '../users/users.ts';
import { addFolder } from './cogs.ts';
import { findFilesBelow, type ReadableFile } from './file-queries.ts';
import { checkedName, numberedName } from './names.ts';
import { outputsRootId, requireFreeName } from './outputs-root.ts';
import { addFileRows, findFreeNames, findOwnFolders, lockFolder } from './queries.ts';
import { rootId } from './root.ts';

export type { ReadableFile };

/** The cogs stand for more files than were asked for. */
export class TooManyFiles extends Error {}

/**
 * The files that these cogs stand for: a file for itself, a folder for all files in it that the
 * caller may see, however deep. In the order of the ids, those of a folder by path; each once.
 *
 * @param most how many are read; a file counts each time that a cog stands for it.
 * @throws DomainError `not_found` or `forbidden` when one of the cogs is not the caller's to see.
 * @throws TooManyFiles when there are more.
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
 * The folder at the end of a path below a folder (below that of all runs' results, when null);
 * what is missing of it is made and belongs to the owner. Several at once end up with the same folders; where a file
 * or somebody else's folder is in the way, the folder is numbered.
 *
 * @throws DomainError 404 when the folder to start from is gone, 409 `depth_limit`.
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
 * A new folder at the end of such a path, numbered where the name is taken: what is there already
 * may have been put there by others, and they may read it.
 *
 * @throws DomainError as `ensureFolderPath` does.
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
 * Of these folders those that exist: `open` when the user may add to them now. Somebody who was
 * disabled may do nothing.
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
 * The member's own folder of that name, numbered where somebody else's or a file has it: the owner
 * of a folder sees all that is put into it, so one member's results never go into another's. Nor
 * do they go into a folder of their own to which they may no longer add.
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
      // Not added: made by somebody between our look and our try. Then it is there to be found.
      const added = await addFolder(tx, owner, parent, free);
      if (added) return added.id;
    }
  }
}

/** A result of a run that becomes a file: its bytes are stored. */
export type NewResult = { name: string; object_id: number; mime_type: string };

type ResultsFolder = { tenant_id: number; parent_id: number; owner_id: number };

/**
 * Makes files of a run's results, whose bytes go live in the same transaction. Rights are the
 * caller's to check. A name that is taken becomes ` (2)` and so on.
 *
 * @returns each with the id and the name it got, in their order.
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
  for (let start = 0; start < wanted.length; start += resultsAtOnce) {
    let left = wanted.slice(start, start + resultsAtOnce);
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

/** Bounds a statement's rows: a restart may take over the results of 100,000 lanes. */
const resultsAtOnce = 2000;
/** How many numbers are looked at for one name, besides one for each result that has it. */
const spareNames = 100;
/** Above this, the first look is at no spare names: most results have a name of their own. */
const fewResults = 100;

/**
 * A name for each that nobody in the folder has and no other of them gets, as far as there are.
 *
 * @param next for each name the number to go on with, kept from call to call.
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
    // Two names may be the same once they are numbered.
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

/** The folder, held against deletion, with what the member may do in it. */
async function hold(tx: Db, who: Member, id: number): Promise<Reached> {
  await lockFolder(tx, who.tenant_id, id);
  const [folder] = await reach(tx, who, [id]);
  if (!folder || folder.cog_type === 'file') throw notFound('Folder');
  return folder;
}
