/**
 * Copies of files and folders, one or many at once. The bytes are shared: several cogs refer to one
 * object.
 *
 * A large copy takes seconds, and must not stop others meanwhile. So copies are first made where
 * nobody sees them, in a transaction of its own that holds no lock of the tree; then one row each
 * puts them in their place.
 */
import { actorOf, type Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { attempt, type Decided, joined, resultOf, resultsOf, settled } from '../../../decided.ts';
import { type Effect, repeatable } from '../../../effects.ts';
import { conflict, DomainError, nameCollision, notFound } from '../../../errors.ts';
import type { Services } from '../../../services.ts';
import { recordEvents } from '../../audit-events/audit-events.ts';
import { type Granted, lockTree, reachedBy, requireNeed } from '../../permissions/access.ts';
import { ownsWhatIsInside } from '../../permissions/rules.ts';
import { requireVisible, rootFolder } from '../cogs.ts';
import { findPlaceNames, type PlaceName } from '../moves/queries.ts';
import { depthLimit, findTooDeep } from '../places/depth.ts';
import { freeNamesFor, type WhenTaken } from '../places/free-names.ts';
import { findLevelsBelow, raiseLevelsAbove } from '../places/level-queries.ts';
import { checkedName, collisionMeanwhile } from '../places/names.ts';
import { requireFreeName } from '../places/outputs-root.ts';
import { requireFolder } from '../places/places.ts';
import { findCogs, findPlacedCogs, lockAlone, type PlacedCogRow } from '../queries.ts';
import type { Cog, NewCopy } from '../schema.ts';
import { addDetachedCopies, allowTime, attachCopies, dropDetached } from './queries.ts';

/** Of one request. */
export const mostCopied = 100_000;
/** Copied at once; more takes a turn. */
const fewCopied = 1000;
/** For the largest copy: about five seconds, if little else is going on. */
const longest_ms = 60_000;

/**
 * What `prepare` makes, its effect puts in its place; `dropUnused` removes what did not get there.
 */
type Copies<Result> = {
  prepare: () => Promise<Effect<Result>>;
  dropUnused: () => Promise<void>;
};

/**
 * One copy of a cog, with all the caller may see in it. The copier owns it. Grants and earlier
 * versions are not copied.
 *
 * Both throw DomainError 404, 403, 400 for a target that is a file, 409 `root_folder`, `cycle`,
 * `name_collision`, `name_reserved`, `depth_limit` or `too_many_items`.
 *
 * @param replaces whether the caller of the effect removes what has the name, in its transaction.
 */
export function copyOf(
  services: Services,
  caller: Caller,
  id: number,
  given: NewCopy,
  { replaces = false } = {},
): Copies<Cog> {
  const how: How = { whenTaken: replaces ? 'replace' : 'refuse', isAlone: false };
  const copies = copiesInto(services, caller, given.parent_id, how);
  return {
    ...copies,
    prepare: async () => {
      const name = given.name === undefined ? undefined : checkedName(given.name);
      const { outcomes, place } = await copies.prepare([{ id, name }]);
      resultOf(outcomes[0]);
      return repeatable(async (db) => resultOf((await place(db))[0]));
    },
  };
}

/**
 * The same for many, each with an outcome of its own, decided as if it were the only one. Of several
 * with one name the first gets it.
 *
 * Both throw DomainError 404, 403 or 400 for the folder.
 */
export function copiesOf(
  services: Services,
  caller: Caller,
  ids: readonly number[],
  parentId: number,
  whenTaken: WhenTaken,
): Copies<Decided<Cog>[]> {
  const distinct = [...new Set(ids)].map((id) => ({ id }));
  const copies = copiesInto(services, caller, parentId, { whenTaken, isAlone: true });
  return {
    ...copies,
    prepare: async () => {
      const { target, place } = await copies.prepare(distinct);
      resultOf(target);
      return async (db) => {
        const outcomes = await place(db);
        const byId = new Map(distinct.map(({ id }, at) => [id, outcomes[at]]));
        return ids.map(
          (id) => byId.get(id) ?? { error: new Error('Nothing became of this item.') },
        );
      };
    },
  };
}

/** A cog that is to be copied, and the name of the copy if it is not its own. */
type Copying = { id: number; name?: string | undefined };

type How = {
  whenTaken: WhenTaken;
  /** Whether nobody puts anything else into the folder meanwhile. */
  isAlone: boolean;
};

function copiesInto(services: Services, caller: Caller, parentId: number, how: How) {
  const unused = new Set<number>();
  return {
    prepare: async (copying: readonly Copying[]) => {
      const { target, decided } = await check(services.db, caller, copying, parentId, how);
      const sources = 'error' in target ? [] : resultsOf(decided);
      const made = await makeDetached(services, caller, sources);
      const detached = resultsOf(made);
      for (const { id } of detached) unused.add(id);
      const outcomes = joined(decided, made);
      const place = async (db: Db): Promise<Decided<Cog>[]> => {
        const placed = await attach(db, caller, parentId, detached, how);
        const forget = () => {
          for (const { id } of resultsOf(placed)) unused.delete(id);
        };
        // In a transaction of others they may still be taken back.
        const { afterCommit } = db as Partial<Transaction>;
        if (afterCommit) afterCommit(forget);
        else forget();
        return joined(outcomes, placed);
      };
      return { target, outcomes, place };
    },

    dropUnused: async () => {
      if (unused.size > 0) await dropDetached(services.db, caller.tenant_id, [...unused]);
    },
  };
}

/** A cog that may be copied. */
type Source = PlacedCogRow & { new_name: string | undefined };

/** Decides before anything is made what can be decided by then. */
function check(
  db: Db,
  caller: Caller,
  copying: readonly Copying[],
  parentId: number,
  how: How,
): Promise<{ target: Decided<Granted>; decided: Decided<Source>[] }> {
  const { tenant_id } = caller;
  const ids = copying.map(({ id }) => id);
  return db.transaction(
    async (tx) => {
      const [target, rows, placeNames] = await Promise.all([
        settled(requireFolder(tx, caller, parentId)),
        findPlacedCogs(tx, caller, [...ids, parentId]),
        findPlaceNames(tx, tenant_id, copying, parentId),
      ]);
      const cogs = new Map(rows.map((row) => [row.id, row]));
      const path = cogs.get(parentId)?.path ?? [];
      const tooDeep = await findTooDeep(
        tx,
        tenant_id,
        ids.flatMap((id) => {
          const cog = cogs.get(id);
          if (cog?.cog_type !== 'asset_folder' || path.includes(id)) return [];
          return { id, levels_below: cog.levels_below, depth: path.length };
        }),
      );
      const places = new Map(placeNames.map((place) => [place.id, place]));
      const facts = { target, path, cogs, places, tooDeep };
      return {
        target,
        decided: copying.map((one) => attempt(() => decide(caller, facts, one, how))),
      };
    },
    { readsFirst: true },
  );
}

type Facts = {
  target: Decided<Granted>;
  /** The ids from the target folder up to the root. */
  path: readonly number[];
  cogs: ReadonlyMap<number, PlacedCogRow>;
  places: ReadonlyMap<number, PlaceName>;
  tooDeep: ReadonlySet<number>;
};

function decide(
  caller: Caller,
  { target: found, path, cogs, places, tooDeep }: Facts,
  { id, name }: Copying,
  { whenTaken }: How,
): Source {
  const row = cogs.get(id);
  requireNeed(row && reachedBy(caller.role, row), 'view');
  if (!row || row.cog_type === 'master_folder') throw rootFolder('copied');
  const target = resultOf(found);
  const called = name ?? row.name;
  requireFreeName(target, called);
  if (path.includes(id)) {
    throw conflict('cycle', 'A folder cannot be copied into itself, or into a folder inside it.');
  }
  if (tooDeep.has(id)) throw depthLimit();
  const isItself = row.parent_id === target.id && called === row.name;
  if (whenTaken === 'refuse' && (isItself || places.get(id)?.is_taken)) throw nameCollision(called);
  return { ...row, new_name: name };
}

/** A copy that has been made and that nobody sees yet. */
type Detached = { id: number; count: number; wanted_name: string; source: Source };

async function makeDetached(
  { db, largeWrites }: Services,
  caller: Caller,
  sources: readonly Source[],
): Promise<Decided<Detached>[]> {
  const root = sources[0]?.path.at(-1);
  if (root === undefined) return [];
  const wanted = sources.map(({ id, deciding }) => ({
    id,
    // In the folder for results everybody sees only what a grant shows, except admins.
    sees_all: caller.role === 'admin' || deciding !== undefined,
  }));
  const few = await addDetachedCopies(db, caller, wanted, root, {
    most: fewCopied,
    makes: 'all or none',
  });
  if (few) return outcomesOf(sources, few);
  const end = await largeWrites.take(caller, new AbortController().signal);
  try {
    const made = await db.transaction(async (tx) => {
      await allowTime(tx, longest_ms);
      const limit = { most: mostCopied, makes: 'what fits' } as const;
      return addDetachedCopies(tx, caller, wanted, root, limit);
    });
    return outcomesOf(sources, made ?? []);
  } finally {
    end();
  }
}

const outcomesOf = (
  sources: readonly Source[],
  made: NonNullable<Awaited<ReturnType<typeof addDetachedCopies>>>,
): Decided<Detached>[] =>
  sources.map((source, at) =>
    attempt(() => {
      const copy = made[at];
      if (!copy?.fits) throw tooMany();
      const { id, name, count } = copy;
      if (id === undefined || name === undefined) throw notFound('Cog');
      // The source may have been renamed since: its name and its content are of one moment.
      return { id, count, wanted_name: source.new_name ?? name, source };
    }),
  );

const tookTooLong = () => new DomainError('unavailable', 'The copy took too long. Try it again.');

const tooMany = () =>
  conflict(
    'too_many_items',
    `At most ${mostCopied} files and folders are copied at once. Copy this one by itself, or the folders in it one by one.`,
  );

/** One trip reads, one writes. */
function attach(
  db: Db,
  caller: Caller,
  parentId: number,
  copies: readonly Detached[],
  { whenTaken, isAlone }: How,
): Promise<Decided<Cog>[]> {
  if (copies.length === 0) return Promise.resolve([]);
  const { tenant_id } = caller;
  const folders = copies.filter(({ source }) => source.cog_type !== 'file').map(({ id }) => id);
  return db.transaction(
    async (tx) => {
      const locked = lockTree(tx, tenant_id, isAlone ? 'move' : 'add').send();
      const held = isAlone ? lockAlone(tx, tenant_id, [parentId]).send() : undefined;
      const [, , target, levels] = await Promise.all([
        locked,
        held,
        requireFolder(tx, caller, parentId),
        findLevelsBelow(tx, tenant_id, folders),
      ]);
      const depth = target.depth + 1;
      const tooDeep = await findTooDeep(
        tx,
        tenant_id,
        levels.map((one) => ({ ...one, depth })),
      );
      const names = copies.map(({ wanted_name }) => wanted_name);
      const free = await freeNamesFor(tx, tenant_id, parentId, names, whenTaken);
      const decided = copies.map((copy, at) =>
        attempt(() => {
          requireFreeName(target, copy.wanted_name);
          if (tooDeep.has(copy.id)) throw depthLimit();
          return { ...copy, name: resultOf(free[at]) };
        }),
      );
      const placed = await carryOut(tx, caller, target, resultsOf(decided));
      return joined(decided, placed);
    },
    { readsFirst: true, isRepeatable: true },
  );
}

type Placed = Detached & { name: string };

async function carryOut(
  tx: Transaction,
  caller: Caller,
  target: Granted,
  copies: readonly Placed[],
): Promise<Decided<Cog>[]> {
  if (copies.length === 0) return [];
  const { tenant_id } = caller;
  const folders = copies.filter(({ source }) => source.cog_type !== 'file').map(({ id }) => id);
  const actor = actorOf(caller);
  const events = copies.map(({ id, name, source, count }) => ({
    ...{ ...actor, action: 'cog.copied', target_type: 'cog', target_id: id },
    details: { name, parent_id: target.id, copied_from: source.id, count },
  }));
  const folder = { parent_id: target.id, granted: !ownsWhatIsInside(target.access) };
  const written = tx.commit([
    attachCopies(tx, caller, copies, folder),
    folders.length > 0 ? raiseLevelsAbove(tx, tenant_id, folders) : undefined,
    recordEvents(tx, events),
    findCogs(
      tx,
      caller,
      copies.map(({ id }) => id),
    ),
  ]);
  const [attached, , , rows] = await written.catch((error: unknown) => {
    throw collisionMeanwhile(error, copies);
  });
  // One that took longer than they are kept: then nothing stays.
  if (attached.length < copies.length) throw tookTooLong();
  const found = new Map(rows.map((row) => [row.id, row]));
  return copies.map(({ id }) => attempt(() => requireVisible(caller, found.get(id))));
}
