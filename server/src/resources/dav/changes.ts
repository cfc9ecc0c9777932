/** Changes of the tree by WebDAV clients: by name what the API does by id, with the same rules. */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { DomainError, forbidden } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { createFolder } from '../cogs/cogs.ts';
import { copyOf } from '../cogs/copies/copies.ts';
import { changeCog } from '../cogs/moves/moves.ts';
import type { Cog } from '../cogs/schema.ts';
import { deleteCog } from '../cogs/trash/deletion.ts';
import { lockTree } from '../permissions/access.ts';
import { type Changing, type Client, changing, requireAllowed, type Target } from './conditions.ts';
import { removeLocksIn } from './lock-queries.ts';
import { parentOf } from './locks.ts';
import { copyProperties } from './property-queries.ts';
import { fixed, type Located, locate, requireCog } from './resources.ts';
import { isSaving, saveOver } from './saving.ts';
import { copyTime } from './time-queries.ts';

/** @throws DomainError 405 where something is, 409 without the folder above. */
export function makeFolder(db: Db, client: Client, names: readonly string[]): Promise<Cog> {
  const { caller } = client;
  return changingTree(db, client, async (tx, allow) => {
    const located = await locate(tx, caller, names);
    if (located.found) {
      throw new DomainError('method_not_allowed', 'There is already something at this address.');
    }
    const parent = parentOf(located);
    await allow(located, [parent]);
    const folder = { name: nameIn(names), cog_type: 'asset_folder', parent_id: parent.id } as const;
    return createFolder(tx, caller, folder);
  });
}

/** Moves what is there into the trash. */
export function removeResource(db: Db, client: Client, names: readonly string[]): Promise<void> {
  const { caller } = client;
  return changingTree(db, client, async (tx, allow) => {
    const located = await locate(tx, caller, names);
    const cog = requireCog(located);
    await allow(located, removing(cog));
    await discard(tx, client, cog);
  });
}

/**
 * Moves or renames. What is at the destination goes into the trash first, if `overwrite` says so; a
 * file may get a new version instead (saving.ts), and what was moved goes into the trash.
 *
 * @returns whether the destination is new.
 * @throws DomainError 403 into itself or over itself, 409 without the folder above the destination,
 *   412 if something is there.
 */
export function moveResource(
  db: Db,
  client: Client,
  names: readonly string[],
  destination: readonly string[],
  overwrite: boolean,
): Promise<boolean> {
  const { caller } = client;
  return changingTree(db, client, async (tx, allow) => {
    const [from, to] = [await locate(tx, caller, names), await locate(tx, caller, destination)];
    const cog = requireCog(from);
    requireApart(names, destination, cog, to, 'nowhere');
    requireFree(to, overwrite);
    const replaced = to.found && requireCog(to);
    if (replaced && (await isSaving(tx, caller, cog, replaced))) {
      await allow(from, [...removing(cog), { id: replaced.id }]);
      // The tree before the rows, as all deletions do.
      await lockTree(tx, caller.tenant_id, 'add');
      await saveOver(tx, caller, cog, replaced);
      await discard(tx, client, cog);
      return false;
    }
    const place = placeIn(from, to, cog);
    await allow(from, [
      ...removing(cog),
      ...(replaced ? removing(replaced) : []),
      ...(place.parent_id === undefined ? [] : [{ id: place.parent_id }]),
    ]);
    if (replaced) {
      // A deletion holds the tree more weakly, and a transaction that wanted more later could
      // deadlock with another.
      await lockTree(tx, caller.tenant_id, 'move');
      await discard(tx, client, replaced);
    }
    await changeCog(tx, caller, cog.id, place);
    // Locks stay behind (RFC 4918, section 7.6), and there is nothing left that they could lock.
    await removeLocksIn(tx, caller.tenant_id, cog.id);
    return !replaced;
  });
}

/**
 * Copies a file, or a folder with all that the caller may see in it, or without. What is at the
 * destination goes into the trash first, as in a move. Of the properties that clients set, the
 * copied cog's own are copied.
 *
 * @returns whether the destination is new.
 * @throws DomainError like `moveResource`.
 */
export async function copyResource(
  services: Services,
  client: Client,
  names: readonly string[],
  destination: readonly string[],
  { overwrite, isShallow }: { overwrite: boolean; isShallow: boolean },
): Promise<boolean> {
  const { db } = services;
  const { caller } = client;
  const from = await locate(db, caller, names);
  const source = requireCog(from);
  const look = async (tx: Db) => {
    const to = await locate(tx, caller, destination);
    requireFree(to, overwrite);
    requireApart(names, destination, source, to, isShallow ? 'into itself' : 'nowhere');
    if (to.names.length === 0) throw fixed();
    const parent = parentOf(to);
    const replaced = to.found && requireCog(to);
    return { parent, replaced, targets: replaced ? removing(replaced) : [{ id: parent.id }] };
  };
  const { parent, replaced, targets } = await look(db);
  await requireAllowed(db, client, from, targets);

  const place = { parent_id: parent.id, name: nameIn(destination) };
  const copy =
    isShallow && source.cog_type !== 'file'
      ? emptyCopy(caller, place)
      : copyOf(services, caller, source.id, place, { replaces: replaced !== undefined });
  try {
    const putInPlace = await copy.prepare();
    return await changingTree(db, client, async (tx, allow) => {
      const now = await look(tx);
      await allow(from, now.targets);
      if (now.replaced) await discard(tx, client, now.replaced);
      const { id } = await putInPlace(tx, { isAlone: false, hasTurn: true });
      await copyProperties(tx, caller.tenant_id, source.id, id);
      if (source.cog_type === 'file') {
        await copyTime(tx, caller.tenant_id, source.id, { id, version: 1 });
      }
      return !now.replaced;
    });
  } finally {
    await copy.dropUnused();
  }
}

const emptyCopy = (caller: Caller, place: { parent_id: number; name: string }) => ({
  prepare: async () => (tx: Db) => createFolder(tx, caller, { ...place, cog_type: 'asset_folder' }),
  dropUnused: async () => {},
});

/** None of these changes has an effect outside of the database. */
const changingTree = <Result>(db: Db, client: Client, work: Changing<Result>) =>
  changing(db, client, work, { isRepeatable: true });

async function discard(tx: Db, { caller }: Client, { id }: Cog) {
  await removeLocksIn(tx, caller.tenant_id, id);
  await deleteCog(tx, caller, id);
}

function requireFree({ found }: Located, overwrite: boolean) {
  if (!found || overwrite) return;
  throw new DomainError('precondition_failed', 'There is already something at the destination.');
}

const nameIn = (names: readonly string[]) => names.at(-1) ?? '';

/** Removing something changes it, what is in it, and the folder it is in, even a hidden one. */
const removing = ({ id, parent_id }: Cog): Target[] => [
  { id, deep: true },
  ...(parent_id === undefined ? [] : [{ id: parent_id }]),
];

function requireApart(
  names: readonly string[],
  destination: readonly string[],
  cog: Cog,
  { found }: Located,
  allowed: 'nowhere' | 'into itself',
) {
  const depth = Math.min(names.length, destination.length);
  const isOnOnePath = names.slice(0, depth).every((name, at) => name === destination[at]);
  const isWithin = isOnOnePath && !(allowed === 'into itself' && depth < destination.length);
  const isSame = found !== undefined && found !== 'shared folder' && found.id === cog.id;
  if (isWithin || isSame) {
    throw forbidden('Something cannot be moved over itself, into itself, or over what it is in.');
  }
}

/** In the shared folder something can get another name, but nothing can be put there. */
function placeIn(from: Located, to: Located, cog: Cog): { name: string; parent_id?: number } {
  const name = nameIn(to.names);
  if (to.names.length === 0) throw fixed();
  if (to.parent === 'shared folder' && from.parent === 'shared folder') return { name };
  const parent = parentOf(to);
  return parent.id === cog.parent_id ? { name } : { name, parent_id: parent.id };
}
