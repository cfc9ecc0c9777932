/** Reads and locks everything a round needs, in one round trip. */
import type { Resources } from '@cogworks/graph/resources';
import type { Transaction } from '../../db/transaction.ts';
import type { HeldAttempt } from '../attempts/judge.ts';
import type { Candidate } from '../queue/choose.ts';
import type { AttemptRow, NodeRunRow } from '../records.ts';
import { nothingReserved, type Reserved, reserve } from '../starting.ts';
import { findAttempts, findUploads } from '../tables/attempts.ts';
import { type CountedSlots, findSlots, type WorkflowName } from '../tables/caps.ts';
import { type CountedCredits, findRunCredits } from '../tables/credits.ts';
import { findNodeRunsOf } from '../tables/node-runs.ts';
import {
  endPauses,
  findCandidates,
  findHeldBy,
  lockWorkers,
  type WorkerFacts,
} from '../tables/queue.ts';
import { lockRuns, type StoredRun } from '../tables/runs.ts';
import type { Balance } from './credits.ts';
import type { Ask, Task } from './tasks.ts';

export type RoundOptions = {
  /**
   * Whether this round may publish results of leaves; otherwise those tasks go to a separate round.
   */
  publish: boolean;
  /** Whether to read the queue; false if it is known to hold nothing for these workers. */
  look: boolean;
  /** Runs whose queued node runs are ignored. */
  without: readonly number[];
};

export type Found = {
  runs: StoredRun[];
  attempts: Map<number, HeldAttempt & { is_capped: boolean }>;
  rows: Map<number, NodeRunRow[]>;
  reserved: Reserved;
  workers: Map<number, WorkerFacts>;
  /** What the live attempts of each of these workers use. */
  held: Map<number, Resources>;
  candidates: readonly (Candidate & CountedSlots & CountedCredits)[];
  /** The slots under caps, and the credits, for what may become ready in this round. */
  slots: readonly (WorkflowName & CountedSlots & CountedCredits)[];
  /** What runs have whose unpaid work is to be ended. */
  credits: Map<number, Balance>;
};

/**
 * Sends all statements together. Each lock is a statement of its own, before the reads it protects.
 */
export async function read(
  tx: Transaction,
  tasks: readonly Task[],
  asks: readonly Ask[],
  { look, without }: RoundOptions,
): Promise<Found> {
  const attemptIds = tasks.flatMap((task) =>
    task.do === 'report' ? task.attempt_id : task.do === 'give up' ? task.attempt.id : [],
  );
  const unpaidIds = tasks.flatMap((task) => (task.do === 'end unpaid' ? task.run_id : []));
  const runIds = [
    ...unpaidIds,
    ...tasks.flatMap((task) => (task.do === 'cancel' ? task.run_id : [])),
  ];
  const starts = tasks.flatMap((task) => (task.do === 'start' ? task.start : []));
  const isAbout = attemptIds.length > 0;
  const each = Math.min(
    100,
    asks.reduce((sum, { max }) => sum + max, 0),
  );
  const workerIds = [...new Set(asks.map(({ worker_id }) => worker_id))];
  const mayHandOn = asks.length > 0 && (isAbout || starts.length > 0);
  const found = await Promise.all([
    isAbout || runIds.length > 0 ? lockRuns(tx, runIds, attemptIds) : [],
    isAbout ? findAttempts(tx, attemptIds) : [],
    isAbout ? findUploads(tx, attemptIds) : [],
    isAbout ? findNodeRunsOf(tx, attemptIds) : [],
    starts.length > 0 ? reserve(tx, starts) : nothingReserved,
    workerIds.length > 0 ? lockWorkers(tx, workerIds) : [],
    workerIds.length > 0 ? findHeldBy(tx, workerIds) : [],
    look ? endPauses(tx) : undefined,
    mayHandOn
      ? findSlots(
          tx,
          attemptIds,
          starts.map(({ run }) => run),
        )
      : [],
    look ? findCandidates(tx, each, without, attemptIds.length) : [],
    unpaidIds.length > 0 ? findRunCredits(tx, unpaidIds) : [],
  ]);
  const [runs, attempts, uploads, rows, reserved, workers, held, , slots, candidates, credits] =
    found;
  const ofAttempt = Map.groupBy(uploads, ({ attempt_id }) => attempt_id);
  return {
    runs: [...runs],
    attempts: new Map(
      attempts.map(({ lost_workers = [], evictions = 0, ...attempt }) => [
        attempt.id,
        { ...attempt, lost_workers, evictions, uploads: ofAttempt.get(attempt.id) ?? [] },
      ]),
    ),
    rows: inLanesOf(attempts, rows),
    reserved,
    workers: new Map(workers.map((worker) => [worker.id, worker])),
    held: new Map(held.map((one) => [one.worker_id, one])),
    candidates,
    slots,
    credits: new Map(credits.map((one) => [one.run_id, one])),
  };
}

/** Keeps only the node runs of these attempts and of their lanes; groups them by run. */
function inLanesOf(attempts: readonly AttemptRow[], rows: readonly NodeRunRow[]) {
  const mine = new Set(attempts.map(({ node_run_id }) => node_run_id));
  const lanes = new Set<string>();
  for (const { id, run_id, shard_index } of rows)
    if (mine.has(id) && shard_index !== undefined) lanes.add(`${run_id}|${shard_index}`);
  return Map.groupBy(
    rows.filter(
      ({ id, run_id, shard_index }) => mine.has(id) || lanes.has(`${run_id}|${shard_index}`),
    ),
    ({ run_id }) => run_id,
  );
}
