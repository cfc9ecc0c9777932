/**
 * Renaming cogs and moving them to another folder, one or many at once. What a move does to rights
 * is decided in permissions/moves.ts.
 */
import { actorOf, type Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { attempt, type Decided, joined, resultOf, resultsOf, settled } from '../../../decided.ts';
import { conflict, nameCollision } from '../../../errors.ts';
import { recordEvents } from '../../audit-events/audit-events.ts';
import {
  type Granted,
  lockTree,
  reach,
  reachedBy,
  requireAccess,
  requireNeed,
} from '../../permissions/access.ts';
import { findGrantsAround, planMoves, writeGrants } from '../../permissions/cog-grants.ts';
import { getCog, requireVisible, rootFolder } from '../cogs.ts';
import { depthLimit, findTooDeep } from '../places/depth.ts';
import { raiseLevelsAbove } from '../places/level-queries.ts';
import { checkedName, collisionMeanwhile } from '../places/names.ts';
import { requireFreeName, requireNoPurpose, requireOwnIn } from '../places/outputs-root.ts';
import { requireFolder } from '../places/places.ts';
import {
  findCogs,
  findPlacedCogs,
  lockAlone,
  lockCogs,
  type PlacedCogRow,
  renameCog,
} from '../queries.ts';
import type { Cog, CogChanges } from '../schema.ts';
import { findPlaceNames, type Moving, type PlaceName, setPlaces } from './queries.ts';

/**
 * Renames a cog, moves it, or both.
 *
 * @throws DomainError 409 `root_folder`, `shared_folder`, `cycle`, `depth_limit`, `name_collision`,
 *   `name_reserved`; 400 into a file; `forbidden` if the move removes or gives access that the
 *   caller may not remove or give.
 */
export function changeCog(db: Db, caller: Caller, id: number, changes: CogChanges): Promise<Cog> {
  const name = changes.name === undefined ? undefined : checkedName(changes.name);
  return db.transaction(
    async (tx) => {
      const seen = await requireAccess(tx, caller, id, 'view');
      if (seen.cog_type === 'master_folder') throw rootFolder('renamed or moved');
      const { parent_id } = changes;
      const moved = async (parentId: number) => {
        const { outcomes } = await moveTogether(tx, caller, [{ id, name }], parentId);
        return resultOf(outcomes[0]);
      };
      if (parent_id !== undefined && parent_id !== seen.parent_id) return moved(parent_id);
      // Whoever moves many reads before which names are free. With a folder given, this may still
      // become a move, and a transaction that wanted that lock later could deadlock with another.
      await lockTree(tx, caller.tenant_id, parent_id === undefined ? 'add' : 'move');
      const cog = await requireAccess(tx, caller, id, 'edit');
      if (parent_id !== undefined && parent_id !== cog.parent_id) return moved(parent_id);
      requireNoPurpose(cog);
      if (name !== undefined) await checkNewName(tx, caller, cog, name);
      await renameCog(tx, caller.tenant_id, id, name).catch((error: unknown) => {
        throw collisionMeanwhile(error, [{ name: name ?? '' }]);
      });
      return getCog(tx, caller, id);
    },
    { isRepeatable: true },
  );
}

async function checkNewName(tx: Db, caller: Caller, cog: Granted, name: string) {
  const [folder] = await reach(tx, caller, cog.parent_id === undefined ? [] : [cog.parent_id]);
  if (!folder) return;
  requireFreeName(folder, name);
  requireOwnIn(folder, cog, caller);
}

/**
 * Written by one request, for one cog always what it needs: 10,000 take half a second, in which
 * nobody else of the tenant moves anything.
 */
export const mostGrants = 10_000;

/**
 * Moves cogs to one folder. Each is decided as if it were the only one, except that of several with
 * one name the first gets it, and that the first ones are moved whose grants are not too many; a cog
 * that is there already stays as it is.
 *
 * @returns the outcome of each, with errors like `changeCog` and 409 `too_many_grants`.
 * @throws DomainError 404, 403 or 400 for the folder.
 */
export function moveCogs(
  db: Db,
  caller: Caller,
  ids: readonly number[],
  parentId: number,
): Promise<Decided<Cog>[]> {
  const distinct = [...new Set(ids)].map((id) => ({ id }));
  return db.transaction(
    async (tx) => {
      const { outcomes, target } = await moveTogether(tx, caller, distinct, parentId);
      resultOf(target);
      const byId = new Map(distinct.map(({ id }, at) => [id, outcomes[at]]));
      return ids.map((id) => byId.get(id) ?? { error: new Error('Nothing became of this item.') });
    },
    { readsFirst: true, isRepeatable: true },
  );
}

/** A move that may be done; undefined grants: the cog stays where it is. */
type Allowed = {
  cog: PlacedCogRow;
  moving: Moving;
  place: PlaceName;
  grants: ReturnType<ReturnType<typeof planMoves>> | undefined;
};

/** What the decisions need, read together. */
type Facts = {
  target: Decided<Granted>;
  targetPath: readonly number[];
  cogs: ReadonlyMap<number, PlacedCogRow>;
  places: ReadonlyMap<number, PlaceName>;
  grantsFor: ReturnType<typeof planMoves>;
  tooDeep: ReadonlySet<number>;
};

/** One trip reads, one writes. */
async function moveTogether(
  tx: Transaction,
  caller: Caller,
  moving: readonly Moving[],
  parentId: number,
): Promise<{ outcomes: Decided<Cog>[]; target: Decided<Granted> }> {
  const facts = await readFacts(tx, caller, moving, parentId);
  const taken: Taken = { names: new Set(), grants: 0 };
  const decided = moving.map((one) => attempt(() => decide(caller, facts, one, taken)));
  const allowed = resultsOf(decided);
  const rows = await carryOut(tx, caller, facts, allowed);
  const found = new Map(rows.map((row) => [row.id, row]));
  const moved = allowed.map(({ cog }) => ({
    result: requireVisible(caller, found.get(cog.id)),
  }));
  return { outcomes: joined(decided, moved), target: facts.target };
}

async function readFacts(
  tx: Transaction,
  caller: Caller,
  moving: readonly Moving[],
  parentId: number,
): Promise<Facts> {
  const { tenant_id } = caller;
  const ids = moving.map(({ id }) => id);
  // Two harmless moves can together form a loop (A under B while B goes under A), and neither
  // transaction would see the other's row. Everything below is read after the lock.
  const locked = lockTree(tx, tenant_id, 'move').send();
  // Nobody puts anything into the folder meanwhile, so that a name that is free stays free.
  const held = lockAlone(tx, tenant_id, [parentId]).send();
  const all = lockCogs(tx, tenant_id, ids).send();
  const [, , , target, rows, grants, places] = await Promise.all([
    locked,
    held,
    all,
    settled(requireFolder(tx, caller, parentId)),
    findPlacedCogs(tx, caller, [...ids, parentId]),
    findGrantsAround(tx, caller, [...ids, parentId]),
    findPlaceNames(tx, tenant_id, moving, parentId),
  ]);
  const cogs = new Map(rows.map((row) => [row.id, row]));
  const targetPath = cogs.get(parentId)?.path ?? [];
  const depth = targetPath.length;
  const folders = ids.flatMap((id) => cogs.get(id) ?? []).filter((cog) => isFolderOutside(cog));
  const tooDeep = await findTooDeep(
    tx,
    tenant_id,
    folders.map(({ id, levels_below }) => ({ id, levels_below, depth })),
  );
  return {
    ...{ target, targetPath, cogs, tooDeep },
    grantsFor: planMoves(caller, { id: parentId, path: targetPath }, grants),
    places: new Map(places.map((place) => [place.id, place])),
  };

  function isFolderOutside({ id, cog_type, parent_id }: PlacedCogRow) {
    return cog_type === 'asset_folder' && parent_id !== parentId && !targetPath.includes(id);
  }
}

/** What earlier ones of the request get. */
type Taken = { names: Set<string>; grants: number };

function decide(
  caller: Caller,
  { target: found, targetPath, cogs, places, grantsFor, tooDeep }: Facts,
  moving: Moving,
  taken: Taken,
): Allowed {
  const row = cogs.get(moving.id);
  const reached = row && reachedBy(caller.role, row);
  requireNeed(reached, 'view');
  if (row?.cog_type === 'master_folder') throw rootFolder('renamed or moved');
  const cog = requireNeed(reached, 'edit');
  requireNoPurpose(cog);
  const place = places.get(moving.id);
  if (!row || !place) throw new Error('A cog that can be moved is in a folder.');
  const target = resultOf(found);
  if (row.parent_id === target.id && moving.name === undefined) {
    return { cog: row, moving, place, grants: undefined };
  }
  if (targetPath.includes(row.id)) {
    throw conflict('cycle', 'A folder cannot be moved into itself, or into a folder inside it.');
  }
  if (tooDeep.has(row.id)) throw depthLimit();
  const grants = grantsFor(row);
  const called = moving.name ?? place.name;
  requireFreeName(target, called);
  requireOwnIn(target, cog, caller);
  if (place.is_taken || taken.names.has(called)) throw nameCollision(called);
  if (taken.grants > 0 && taken.grants + grants.length > mostGrants) {
    throw tooManyGrants(grants.length);
  }
  taken.names.add(called);
  taken.grants += grants.length;
  return { cog: row, moving, place, grants };
}

const tooManyGrants = (count: number) =>
  conflict(
    'too_many_grants',
    `It needs grants for ${count} users, so that they keep what they have of it, and these would be too many for one request. Move it in another one, or move the folder it is in.`,
  );

/** @returns all of them as they are afterwards. */
async function carryOut(
  tx: Transaction,
  caller: Caller,
  { target, cogs }: Facts,
  allowed: readonly Allowed[],
) {
  if (allowed.length === 0) return [];
  const { tenant_id } = caller;
  const { id: parent_id } = resultOf(target);
  const parent = { parent_id, parent_name: cogs.get(parent_id)?.name };
  const moved = allowed.flatMap((one) =>
    one.grants === undefined ? [] : { ...one, grants: one.grants },
  );
  const folders = moved.flatMap(({ cog }) => (cog.cog_type === 'file' ? [] : cog.id));
  const grants = moved.flatMap(({ cog, grants }) =>
    grants.map((grant) => ({ ...grant, cog_id: cog.id })),
  );
  const actor = actorOf(caller);
  const events = moved.map(({ cog, moving, place, grants }) => ({
    ...{ ...actor, action: 'cog.moved', target_type: 'cog', target_id: cog.id },
    details: {
      from: placeOf(place),
      to: { name: moving.name ?? place.name, ...parent },
      grants_written: grants,
    },
  }));
  const placing = moved.map(({ moving }) => moving);
  const written = tx.commit([
    placing.length > 0 ? setPlaces(tx, tenant_id, placing, parent_id) : undefined,
    folders.length > 0 ? raiseLevelsAbove(tx, tenant_id, folders) : undefined,
    writeGrants(tx, caller, grants),
    recordEvents(tx, events),
    findCogs(
      tx,
      caller,
      allowed.map(({ cog }) => cog.id),
    ),
  ]);
  const [, , , , rows] = await written.catch((error: unknown) => {
    const names = moved.map(({ moving, place }) => ({ name: moving.name ?? place.name }));
    throw collisionMeanwhile(error, names);
  });
  return rows;
}

const placeOf = ({ id: _, is_taken: __, ...place }: PlaceName) => place;
