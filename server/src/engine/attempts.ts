/**
 * Attempts: a worker takes ready node runs under a lease, and reports how they ended. A report
 * counts only with the token of the lease, so a worker that was away too long changes nothing.
 */
import type { Db } from '../db/connection.ts';
import { conflict, notFound } from '../errors.ts';
import { markDead } from '../resources/cogs/objects.ts';
import {
  addUsage,
  type Capacity,
  claimNodeRuns,
  containerSeconds,
  countStarted,
  endAttempt,
  endNodeRun,
  findAttempt,
  findRoom,
  findStartable,
  findUploads,
  findWorkersLost,
  lockRuns,
  requeue,
} from './attempt-queries.ts';
import { acceptOutputs, type ReportedOutput } from './outputs.ts';
import type { PlannedNode } from './plan.ts';
import { planOf } from './plans.ts';
import { afterFailure } from './policy.ts';
import { findNodeRun, lockRun } from './queries.ts';
import type { AttemptRow, NodeRunRow, RunNodeRow, RunRow } from './records.ts';
import { bandOf, beginSettling, countEnded, settle } from './settle.ts';

export type Claimed = AttemptRow & { node_key: string; shard_index?: number };

/**
 * Takes at most `max` node runs that fit together into what the worker has free: at most `wanted`,
 * and never more than is left of its capacity *now*. A worker that waits for work cannot know
 * what it will have left by the time there is some.
 */
export async function claim(
  db: Db,
  worker: { id: number; tenant_id: number | undefined },
  wanted: Capacity,
  max: number,
): Promise<Claimed[]> {
  const room = await findRoom(db, worker.id);
  const free = {
    cpu: Math.min(wanted.cpu, room.cpu),
    memory_mb: Math.min(wanted.memory_mb, room.memory_mb),
    gpu: Math.min(wanted.gpu, room.gpu),
    disk_mb: Math.min(wanted.disk_mb, room.disk_mb),
  };
  if (free.cpu <= 0) return [];
  // More than wanted, because others may be faster and not all fit together.
  const startable = await findStartable(db, worker, free, max * 4);
  const chosen = thatFit(startable, free, max);
  if (chosen.length === 0) return [];
  return db.transaction(async (tx) => {
    await lockRuns(tx, [...new Set(chosen.map((row) => row.run_id))]);
    const claimed = await claimNodeRuns(
      tx,
      worker.id,
      chosen.map((row) => row.node_run_id),
    );
    if (claimed.length > 0) await countStarted(tx, claimed);
    return claimed;
  });
}

function thatFit<Row extends Capacity>(rows: Row[], free: Capacity, max: number): Row[] {
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

/** What a worker reports. `exit_code` is absent when no container ran. */
export type Report = {
  lease_token: string;
  status: 'success' | 'failure' | 'cancelled';
  exit_code?: number | undefined;
  error_class?: string | undefined;
  error_message?: string | undefined;
  outputs: ReportedOutput[];
};

/**
 * Ends an attempt with the worker's report: outputs, cogs, what follows, counters and usage, all
 * in one transaction. Reporting again after a lost answer is fine.
 *
 * @throws DomainError 404 for an attempt the worker never had, 409 `lease_lost` when it is not
 * its own any more; then nothing changes and what it uploaded is thrown away.
 */
export async function complete(
  db: Db,
  workerId: number,
  attemptId: number,
  report: Report,
): Promise<void> {
  const known = await findAttempt(db, workerId, attemptId);
  if (!known) throw notFound('Attempt');
  await db.transaction(async (tx) => {
    const run = await lockRun(tx, known.run_id);
    const attempt = (await findAttempt(tx, workerId, attemptId)) as AttemptRow;
    if (attempt.lease_token !== report.lease_token) throw leaseLost();
    if (attempt.status === report.status) return;
    if (!isLive(attempt) || !run) throw leaseLost();
    await endWith(tx, run, attempt, report);
  });
}

/** Ends an attempt of a worker that is gone, or that did not stop when it was told to. */
export async function giveUp(
  db: Db,
  attempt: AttemptRow,
  isLost: (now: AttemptRow) => boolean,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const run = await lockRun(tx, attempt.run_id);
    const current = await findAttempt(tx, attempt.worker_id, attempt.id);
    // Whoever reported or renewed in the meantime was in time.
    if (!run || !current || !isLive(current) || !isLost(current)) return false;
    const report = { lease_token: current.lease_token, outputs: [] };
    const lost = {
      ...report,
      status: 'failure' as const,
      error_class: 'lost_worker',
      error_message: 'The worker was lost.',
    };
    await endWith(tx, run, current, lost);
    return true;
  });
}

const isLive = (attempt: AttemptRow) => attempt.status === 'leased' || attempt.status === 'running';

export const leaseLost = () =>
  conflict('lease_lost', 'This attempt is not yours any more: stop it and report nothing.');

async function endWith(tx: Db, run: RunRow, attempt: AttemptRow, report: Report) {
  const plan = await planOf(tx, run);
  const nodeRun = (await findNodeRun(tx, run.tenant_id, attempt.node_run_id)) as NodeRunRow;
  const node = plan.nodes.get(nodeRun.node_key) as PlannedNode;
  const settled = await beginSettling(tx, run, plan);
  const counters = settled.nodes.get(node.key) as RunNodeRow;
  counters.running -= 1;
  settled.changed.add(node.key);

  const ended = await verdictOf(tx, run, node, nodeRun, attempt, report);
  await throwAwayUnused(tx, attempt);
  if (ended) {
    await chargeFor(tx, attempt, ended);
    countEnded(settled, node.key, [{ ...nodeRun, ...ended }]);
  } else {
    await chargeFor(tx, attempt, { error_class: report.error_class });
  }
  await settle(settled);
}

type Ended = Pick<NodeRunRow, 'status' | 'skip_reason' | 'error_class'>;

/** Writes how the attempt and its node run ended; nothing when the node run is tried again. */
async function verdictOf(
  tx: Db,
  run: RunRow,
  node: PlannedNode,
  nodeRun: NodeRunRow,
  attempt: AttemptRow,
  report: Report,
): Promise<Ended | undefined> {
  const stopping = attempt.cancel_requested_at !== undefined;
  if (report.status === 'cancelled' && !stopping) {
    // Nobody asked for that, so it is the worker that gives the work back.
    const gaveBack = { error_class: 'evicted', error_message: 'The worker gave the work back.' };
    return failed(tx, run, node, nodeRun, attempt, gaveBack);
  }
  if (stopping && report.status !== 'success') {
    await endAttempt(tx, attempt, 'cancelled', {});
    // Stopped by the run's own rule, not by a person: that is a skip, and the outcome differs.
    const byPerson = run.cancel_requested_at !== undefined;
    const end = byPerson
      ? { status: 'cancelled' as const }
      : { status: 'skipped' as const, skip_reason: 'run_aborted' as const };
    await endNodeRun(tx, nodeRun.id, end.status, end);
    return end;
  }
  if (report.status === 'success') {
    const problem = await acceptOutputs(tx, run, node, nodeRun, attempt, report.outputs);
    if (!problem) {
      await endAttempt(
        tx,
        attempt,
        'success',
        report.exit_code === undefined ? {} : { exit_code: report.exit_code },
      );
      await endNodeRun(
        tx,
        nodeRun.id,
        'success',
        report.exit_code === undefined ? {} : { exit_code: report.exit_code },
      );
      return { status: 'success' };
    }
    return failed(tx, run, node, nodeRun, attempt, { ...problem, exit_code: report.exit_code });
  }
  return failed(tx, run, node, nodeRun, attempt, report);
}

async function failed(
  tx: Db,
  run: RunRow,
  node: PlannedNode,
  nodeRun: NodeRunRow,
  attempt: AttemptRow,
  report: {
    exit_code?: number | undefined;
    error_class?: string | undefined;
    error_message?: string | undefined;
  },
): Promise<Ended | undefined> {
  const failure = {
    error_class: report.error_class ?? 'exit_nonzero',
    ...(report.exit_code === undefined ? {} : { exit_code: report.exit_code }),
    ...(report.error_message === undefined
      ? {}
      : { error_message: report.error_message.slice(0, 2000) }),
  };
  await endAttempt(
    tx,
    attempt,
    failure.error_class === 'lost_worker' ? 'lost' : 'failure',
    failure,
  );
  const lost = await findWorkersLost(tx, nodeRun.id);
  const verdict = afterFailure(
    failure,
    {
      attempt: nodeRun.attempt,
      max_attempts: nodeRun.max_attempts,
      system_faults: nodeRun.system_faults,
      retry_on: node.definition.retry.on,
      workers_lost: lost.length,
    },
    Math.random(),
  );
  if (!verdict.retry) {
    const end = { ...failure, error_class: verdict.error_class };
    await endNodeRun(tx, nodeRun.id, 'failure', end);
    return { status: 'failure', error_class: verdict.error_class };
  }
  await requeue(tx, attempt, bandOf(run), {
    // A lost worker's work goes on at once: the wait was long enough.
    delay_ms: failure.error_class === 'lost_worker' ? 0 : verdict.delay_ms,
    memory_mb: Math.ceil(nodeRun.memory_mb * verdict.memory_factor),
    system: verdict.system,
    avoid: [],
  });
  return undefined;
}

/** Whatever was uploaded and did not become an output of an accepted report. */
async function throwAwayUnused(tx: Db, attempt: AttemptRow) {
  const uploads = await findUploads(tx, attempt.tenant_id, attempt.id);
  const unused = uploads.filter((upload) => upload.state === 'pending');
  await markDead(
    tx,
    attempt.tenant_id,
    unused.map((upload) => upload.object_id),
  );
}

/** Faults of the platform are free. */
const free = new Set([
  'lost_worker',
  'poison',
  'image_pull',
  'input_fetch',
  'output_upload',
  'evicted',
  'infrastructure',
]);

/**
 * One usage event per attempt that ran a container. A credit is one cpu-minute; memory beyond
 * 4 GiB per cpu and gpus come on top by the price list (docs/operations.md).
 */
async function chargeFor(
  tx: Db,
  attempt: AttemptRow,
  { error_class }: { error_class?: string | undefined },
) {
  const seconds = await containerSeconds(tx, attempt.id);
  if (seconds === undefined) return;
  const rate =
    attempt.cpu + Math.max(0, attempt.memory_mb / 4096 - attempt.cpu) * 0.25 + attempt.gpu * 20;
  const millicredits = free.has(error_class ?? '') ? 0 : Math.ceil((seconds / 60) * rate * 1000);
  await addUsage(tx, attempt, Math.max(0, seconds), millicredits);
}
