/** Taking cogs out of the trash, one or many at once. */
import { actorOf, type Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { attempt, type Decided, resultOf, resultsOf } from '../../../decided.ts';
import { conflict } from '../../../errors.ts';
import { recordEvents } from '../../audit-events/audit-events.ts';
import { reachedBy } from '../../permissions/access.ts';
import {
  findGrantsAround,
  findRolesFor,
  type GrantsAround,
  grantsForRestoration,
  writeGrants,
} from '../../permissions/cog-grants.ts';
import { shown } from '../cogs.ts';
import { depthLimit, findTooDeep } from '../places/depth.ts';
import {
  type Numbered,
  nameFor,
  numberedNames,
  placeOfName,
  type WhenTaken,
} from '../places/free-names.ts';
import { raiseLevelsAbove } from '../places/level-queries.ts';
import { checkedName, collisionMeanwhile } from '../places/names.ts';
import { requireFreeName, requireOwnIn } from '../places/outputs-root.ts';
import { findCogs, findPlacedCogs, lockAlone, type PlacedCogRow, parentsOf } from '../queries.ts';
import type { RestoredCog } from '../schema.ts';
import { lockTreeFor } from './locks.ts';
import { findLevels, findTaken, lockTrashed, setRestored, type TrashedRow } from './queries.ts';
import { requireTrashed } from './trash.ts';

/** A cog that is to be restored, and its new name if it gets one. */
export type Restoring = { id: number; name?: string | undefined };

/** What becomes of one whose name is taken. */
type Existing = Exclude<WhenTaken, 'replace'>;

/**
 * Puts a deleted cog back where it was, with all that was in it. Its owner owns it again, unless that
 * was revoked; for the other grants on it see permissions/restoring.ts.
 *
 * @param name a new name, for when the old one is taken.
 * @throws DomainError 404 if it is not in the caller's trash; 409 `not_in_trash`, `name_collision`,
 *   `parent_deleted`, `depth_limit`, `name_reserved`.
 */
export async function restoreCog(
  db: Db,
  caller: Caller,
  id: number,
  name: string | undefined,
): Promise<RestoredCog> {
  const checked = name === undefined ? undefined : checkedName(name);
  const [outcome] = await restoreAll(db, caller, [{ id, name: checked }], 'refuse');
  return resultOf(outcome);
}

/**
 * Restores cogs, folders before what was in them. Of several with one name the first gets it.
 *
 * @returns the outcome of each, with errors like `restoreCog`.
 */
export async function restoreCogs(
  db: Db,
  caller: Caller,
  ids: readonly number[],
  existing: Existing,
): Promise<Decided<RestoredCog>[]> {
  const distinct = [...new Set(ids)];
  const outcomes = await restoreAll(
    db,
    caller,
    distinct.map((id) => ({ id })),
    existing,
  );
  const byId = new Map(distinct.map((id, at) => [id, outcomes[at]]));
  return ids.map((id) => byId.get(id) ?? { error: new Error('Nothing became of this item.') });
}

function restoreAll(
  db: Db,
  caller: Caller,
  wanted: readonly Restoring[],
  existing: Existing,
): Promise<Decided<RestoredCog>[]> {
  const { tenant_id } = caller;
  const ids = wanted.map(({ id }) => id);
  return db.transaction(
    async (tx) => {
      const locked = lockTreeFor(tx, tenant_id, ids).send();
      const above = ids.length > 1 ? findLevels(tx, caller, ids) : [];
      const [, levels] = await Promise.all([locked, above]);
      const levelOf = new Map(levels.map(({ id, level }) => [id, level]));
      const waves = Map.groupBy(wanted, ({ id }) => levelOf.get(id) ?? 0);
      const outcomes = new Map<number, Decided<RestoredCog>>();
      for (const level of [...waves.keys()].sort((one, other) => one - other)) {
        const wave = waves.get(level) ?? [];
        const done = await restoreWave(tx, caller, wave, existing);
        for (const [id, outcome] of done) outcomes.set(id, outcome);
      }
      return ids.map((id) => outcomes.get(id) ?? { error: new Error('It was left out.') });
    },
    { readsFirst: true, isRepeatable: true },
  );
}

/** Cogs of which none is in another one. Two trips read, one writes. */
async function restoreWave(
  tx: Transaction,
  caller: Caller,
  wave: readonly Restoring[],
  existing: Existing,
): Promise<Map<number, Decided<RestoredCog>>> {
  const read = await readFacts(tx, caller, wave);
  const numbered = existing === 'number' ? await numbersFor(tx, caller, read, wave) : new Map();
  const facts = { ...read, numbered };
  const names = new Set<string>();
  const decided = new Map(
    wave.map((one) => [one.id, attempt(() => decide(caller, facts, one, names))]),
  );
  const restored = resultsOf([...decided.values()]);
  const rows = await carryOut(tx, caller, restored);
  // A folder further up, which is not locked, may have been deleted meanwhile: then nothing stays.
  if (rows.length < restored.length) throw parentDeleted();
  const found = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    [...decided].map(([id, one]) => [
      id,
      'error' in one ? one : { result: shown(caller, found.get(id)) },
    ]),
  );
}

/** What the decisions need. */
type Facts = {
  trashed: ReadonlyMap<number, TrashedRow>;
  /** Live cogs: the folders they were in, and those of the wanted ones that are not in the trash. */
  live: ReadonlyMap<number, PlacedCogRow>;
  grants: GrantsAround;
  roles: Awaited<ReturnType<typeof findRolesFor>>;
  taken: ReadonlySet<number>;
  tooDeep: ReadonlySet<number>;
};

async function readFacts(
  tx: Transaction,
  caller: Caller,
  wave: readonly Restoring[],
): Promise<Facts> {
  const { tenant_id } = caller;
  const ids = wave.map(({ id }) => id);
  // Nobody puts anything into the folders meanwhile, so that names that are free stay free.
  const held = lockAlone(tx, tenant_id, parentsOf(tx, tenant_id, ids)).send();
  const [, rows] = await Promise.all([held, lockTrashed(tx, caller, ids)]);
  const trashed = new Map(rows.map((row) => [row.id, row]));
  const missing = ids.filter((id) => !trashed.has(id));
  const folderIds = [...new Set(rows.flatMap(({ parent_id }) => parent_id ?? []))];
  const [placed, grants, roles, taken] = await Promise.all([
    findPlacedCogs(tx, caller, [...folderIds, ...missing]),
    findGrantsAround(tx, caller, [...folderIds, ...ids]),
    findRolesFor(tx, tenant_id, rows),
    findTaken(tx, tenant_id, wave),
  ]);
  const live = new Map(placed.map((row) => [row.id, row]));
  const unseen = missing.filter((id) => !live.has(id));
  // One may have been deleted between the two looks.
  const late = unseen.length > 0 ? await lockTrashed(tx, caller, unseen) : [];
  if (late.length > 0) return readFacts(tx, caller, wave);
  const folders = rows.flatMap(({ id, cog_type, parent_id = 0, levels_below }) => {
    const parent = live.get(parent_id);
    return cog_type === 'file' || !parent ? [] : { id, levels_below, depth: parent.depth + 1 };
  });
  const tooDeep = await findTooDeep(tx, tenant_id, folders);
  return { trashed, live, grants, roles, tooDeep, taken: new Set(taken.map(({ id }) => id)) };
}

/** In one more statement, if any name is taken or wanted by several. */
const numbersFor = (
  tx: Transaction,
  { tenant_id }: Caller,
  { trashed, taken }: Facts,
  wave: readonly Restoring[],
): Promise<Numbered> =>
  numberedNames(
    tx,
    tenant_id,
    wave.flatMap(({ id, name }) => {
      const row = trashed.get(id);
      if (row?.parent_id === undefined) return [];
      return { folder_id: row.parent_id, name: name ?? row.name, isTaken: taken.has(id) };
    }),
  );

const parentDeleted = () =>
  conflict('parent_deleted', 'The folder it was in is deleted as well: restore that one first.');

/** A cog that may be restored: where, under which name, and with which grants. */
type Allowed = {
  cog: TrashedRow;
  parent_id: number;
  name: string;
  grants: ReturnType<typeof grantsForRestoration>;
};

/** @param names those that earlier ones get, each with its folder. */
function decide(
  caller: Caller,
  { trashed, live, grants, roles, taken, tooDeep, numbered }: Facts & { numbered: Numbered },
  { id, name: given }: Restoring,
  names: Set<string>,
): Allowed {
  const present = live.get(id);
  const cog = requireTrashed(caller, trashed.get(id), present && reachedBy(caller.role, present));
  const folder = live.get(cog.parent_id ?? 0);
  if (!folder) throw parentDeleted();
  const wanted = given ?? cog.name;
  requireFreeName(folder, wanted);
  if (tooDeep.has(id)) throw depthLimit();
  const naming = { folder_id: folder.id, name: wanted, isTaken: taken.has(id) };
  const isGiven = (one: string) => names.has(placeOfName({ folder_id: folder.id, name: one }));
  const name = nameFor(naming, numbered, isGiven);
  if (name !== cog.name) requireOwnIn(folder, cog, caller);
  names.add(placeOfName({ folder_id: folder.id, name }));
  const ended = { ...cog, path: [id, ...folder.path] };
  return { cog, parent_id: folder.id, name, grants: grantsForRestoration(ended, roles, grants) };
}

/** @returns all of them as they are afterwards. */
async function carryOut(tx: Transaction, caller: Caller, restored: readonly Allowed[]) {
  if (restored.length === 0) return [];
  const { tenant_id } = caller;
  const rows = restored.map(({ cog, name }) => ({ id: cog.id, name }));
  const ids = rows.map(({ id }) => id);
  const folders = restored.flatMap(({ cog }) => (cog.cog_type === 'file' ? [] : cog.id));
  const grants = restored.flatMap((one) =>
    one.grants.map((grant) => ({ ...grant, cog_id: one.cog.id })),
  );
  const actor = actorOf(caller);
  const events = restored.map(({ cog, parent_id, name }) => ({
    ...{ ...actor, action: 'cog.restored', target_type: 'cog', target_id: cog.id },
    details: { name, cog_type: cog.cog_type, parent_id },
  }));
  const written = Promise.all([
    setRestored(tx, tenant_id, rows),
    folders.length > 0 ? raiseLevelsAbove(tx, tenant_id, folders) : undefined,
    writeGrants(tx, caller, grants),
    recordEvents(tx, events),
    findCogs(tx, caller, ids),
  ]);
  const [, , , , found] = await written.catch((error: unknown) => {
    throw collisionMeanwhile(error, rows);
  });
  return found;
}
