/**
 * How attempts begin: a worker takes ready node runs under a lease. Whoever claims goes through the
 * runs of all tenants, and waits for none of them: one is locked for as long as it is settled, which
 * takes seconds where it is large, and would keep everybody's work from every worker meanwhile.
 */
import type { Resources } from '@cogworks/graph/resources';
import type { Db } from '../db/connection.ts';
import {
  claimNodeRuns,
  countStarted,
  findRoom,
  findStartable,
  lockFreeRuns,
  lockRunRow,
  lockWorker,
  type ReadyRow,
} from './attempt-queries.ts';
import { limitWaits, waitedTooLong } from './queries.ts';
import type { AttemptRow } from './records.ts';

export type Claimed = AttemptRow & { node_key: string; shard_index?: number };

/** `epoch`: of the process that asks; see resources/workers/standing.ts. */
export type ClaimingWorker = {
  id: number;
  tenant_id: number | undefined;
  epoch: number | undefined;
  /** What it can do besides its size. */
  features: readonly string[];
};

/** How long a claim stands in line for a run: it holds one of the engine's few connections. */
const longestWait_ms = 250;

/** What a worker asks for: at most so much in all, and so many node runs. */
type Wanted = { free: Resources; max: number };

/**
 * Takes at most `max` node runs that fit together into what the worker has free: at most `free`,
 * and never more than is left of its capacity *now*. A worker that waits for work cannot know
 * what it will have left by the time there is some.
 */
export async function claim(
  db: Db,
  worker: ClaimingWorker,
  free: Resources,
  max: number,
): Promise<Claimed[]> {
  const wanted = { free, max };
  const held = new Set<number>();
  // Others may have been faster with what we chose; then there may be more behind it.
  for (let tries = 0; tries < 5; tries += 1) {
    const claimed = await claimOnce(db, worker, wanted, held);
    if (claimed === undefined) break;
    if (claimed.length > 0) return claimed;
  }
  return held.size > 0 ? claimInLine(db, worker, wanted) : [];
}

/**
 * @param held runs that somebody had locked, which are left out; those found now are added.
 * @returns what was claimed, none of it when others were faster; undefined when nothing could start.
 */
async function claimOnce(
  db: Db,
  worker: ClaimingWorker,
  wanted: Wanted,
  held: Set<number>,
): Promise<Claimed[] | undefined> {
  const chosen = await choose(db, worker, wanted, [...held]);
  if (chosen.length === 0) return undefined;
  return db.transaction(async (tx) => {
    const runs = new Set(chosen.map((row) => row.run_id));
    const free = new Set(await lockFreeRuns(tx, [...runs]));
    for (const run of runs) if (!free.has(run)) held.add(run);
    const rows = chosen.filter((row) => free.has(row.run_id));
    return rows.length > 0 ? claimRows(tx, worker, wanted, rows) : [];
  });
}

/**
 * All that could start is of runs that somebody has locked. One of many small steps is locked again
 * and again, for a moment each time: there it is enough to stand in line.
 */
async function claimInLine(db: Db, worker: ClaimingWorker, wanted: Wanted): Promise<Claimed[]> {
  const [first, ...others] = await choose(db, worker, wanted, []);
  if (!first) return [];
  const rows = [first, ...others.filter((row) => row.run_id === first.run_id)];
  const claimed = db.transaction(async (tx) => {
    await limitWaits(tx, longestWait_ms);
    await lockRunRow(tx, first.run_id);
    return claimRows(tx, worker, wanted, rows);
  });
  return claimed.then(
    (found) => found ?? [],
    (error: unknown) => {
      if (waitedTooLong(error)) return [];
      throw error;
    },
  );
}

/** What fits together, and more than is wanted: others may be faster. Locks nothing yet. */
async function choose(db: Db, worker: ClaimingWorker, wanted: Wanted, without: number[]) {
  const free = smaller(wanted.free, await findRoom(db, worker.id));
  if (free.cpu <= 0) return [];
  const startable = await findStartable(db, worker, free, { without, limit: wanted.max * 4 });
  return thatFit(startable, free, wanted.max);
}

/** Of runs that are locked. @returns undefined when another process of the worker has started since. */
async function claimRows(tx: Db, worker: ClaimingWorker, { free, max }: Wanted, rows: ReadyRow[]) {
  // A worker that lost its connection asks again while its first question is still here: both
  // saw the same room, and only one may have it.
  if (!(await lockWorker(tx, worker))) return undefined;
  const left = smaller(free, await findRoom(tx, worker.id));
  const ids = thatFit(rows, left, max).map((row) => row.node_run_id);
  const claimed = await claimNodeRuns(tx, worker.id, ids);
  if (claimed.length > 0) await countStarted(tx, claimed);
  return claimed;
}

const smaller = (a: Resources, b: Resources): Resources => ({
  cpu: Math.min(a.cpu, b.cpu),
  memory_mb: Math.min(a.memory_mb, b.memory_mb),
  gpu: Math.min(a.gpu, b.gpu),
  disk_mb: Math.min(a.disk_mb, b.disk_mb),
});

function thatFit<Row extends Resources>(rows: Row[], free: Resources, max: number): Row[] {
  const left = { ...free };
  const chosen: Row[] = [];
  for (const row of rows) {
    const fits =
      row.cpu <= left.cpu &&
      row.memory_mb <= left.memory_mb &&
      row.gpu <= left.gpu &&
      row.disk_mb <= left.disk_mb;
    if (!fits || chosen.length >= max) continue;
    left.cpu -= row.cpu;
    left.memory_mb -= row.memory_mb;
    left.gpu -= row.gpu;
    left.disk_mb -= row.disk_mb;
    chosen.push(row);
  }
  return chosen;
}
