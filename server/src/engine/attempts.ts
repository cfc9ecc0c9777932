/**
 * How attempts end: by the report of their worker, or without one. A report counts only with the
 * token of the lease, so a worker that was away too long changes nothing. They begin in claim.ts.
 */
import { factsOfError } from '@cogworks/graph/error-classes';
import type { ReportStatus } from '@cogworks/graph/statuses';
import type { Db } from '../db/connection.ts';
import { conflict, notFound } from '../errors.ts';
import { markDead, noteWhatIsStored } from '../objects/objects.ts';
import type { Services } from '../services.ts';
import {
  addUsage,
  containerSeconds,
  endAttempt,
  endNodeRun,
  findAttempt,
  findTroubles,
  findUploads,
  requeue,
} from './attempt-queries.ts';
import { acceptOutputs, type ReportedOutput } from './outputs.ts';
import type { PlannedNode } from './plan.ts';
import { planOf } from './plans.ts';
import { afterFailure, type Failure } from './policy.ts';
import { findNodeRun, lockRun } from './queries.ts';
import type { AttemptRow, NodeRunRow, RunNodeRow, RunRow } from './records.ts';
import { bandOf, beginSettling, countEnded, settle } from './settle.ts';

/** What a worker reports. `exit_code` is absent when no container ran. */
export type Report = {
  lease_token: string;
  status: ReportStatus;
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
  { db, storage }: Pick<Services, 'db' | 'storage'>,
  workerId: number,
  attemptId: number,
  report: Report,
): Promise<void> {
  const known = await findAttempt(db, workerId, attemptId);
  if (!known) throw notFound('Attempt');
  if (report.outputs.length > 0) await lookAtUploads({ db, storage }, known);
  await db.transaction(async (tx) => {
    const run = await lockRun(tx, known.run_id);
    const attempt = (await findAttempt(tx, workerId, attemptId)) as AttemptRow;
    if (attempt.lease_token !== report.lease_token) throw leaseLost();
    if (attempt.status === report.status) return;
    if (!isLive(attempt) || !run) throw leaseLost();
    await endWith(tx, run, attempt, report);
  });
}

/** What came straight to a bucket is not known yet: the storage says what there is. */
async function lookAtUploads(services: Pick<Services, 'db' | 'storage'>, attempt: AttemptRow) {
  const { tenant_id, id } = attempt;
  const unknown = (await findUploads(services.db, tenant_id, id)).filter(
    ({ state, size_bytes }) => state === 'pending' && size_bytes === undefined,
  );
  if (unknown.length === 0) return;
  await noteWhatIsStored(
    services,
    tenant_id,
    unknown.map(({ object_id }) => object_id),
  );
}

/**
 * Ends an attempt of a worker that is gone, or that did not stop when it was told to.
 *
 * @param lock `lockFreeRun` leaves the attempt alone while somebody is at its run.
 */
export async function giveUp(
  db: Db,
  attempt: AttemptRow,
  isLost: (now: AttemptRow) => boolean,
  lock: typeof lockRun = lockRun,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const run = await lock(tx, attempt.run_id);
    const current = await findAttempt(tx, attempt.worker_id, attempt.id);
    // Whoever reported or renewed in the meantime was in time.
    if (!run || !current || !isLive(current) || !isLost(current)) return false;
    const report = { lease_token: current.lease_token, outputs: [] };
    const lost = {
      ...report,
      status: 'failure' as const,
      error_class: 'lost_worker',
      error_message: 'The worker stopped answering.',
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

  const { ended, error_class } = await verdictOf(tx, run, node, nodeRun, attempt, report);
  await throwAwayUnused(tx, attempt);
  await chargeFor(tx, attempt, error_class);
  if (ended) countEnded(settled, node.key, [{ ...nodeRun, ...ended }]);
  await settle(settled);
}

/** What an attempt failed with, and how its node run ended; not at all when it is tried again. */
type Verdict = { error_class?: string; ended?: Pick<NodeRunRow, 'status' | 'skip_reason'> };

type AttemptFailure = Failure & { error_message?: string };

/** Writes how the attempt ended, and its node run unless that is tried again. */
async function verdictOf(
  tx: Db,
  run: RunRow,
  node: PlannedNode,
  nodeRun: NodeRunRow,
  attempt: AttemptRow,
  report: Report,
): Promise<Verdict> {
  const failure = await failureOf(tx, run, node, nodeRun, attempt, report);
  if (!failure) {
    const { exit_code } = report;
    const code = exit_code === undefined ? {} : { exit_code };
    await endAttempt(tx, attempt, 'success', code);
    await endNodeRun(tx, nodeRun.id, 'success', code);
    return { ended: { status: 'success' } };
  }
  // Whatever went wrong with what was to stop, it is not tried again.
  return attempt.cancel_requested_at === undefined
    ? failed(tx, run, node, nodeRun, attempt, failure)
    : stopped(tx, run, nodeRun, attempt);
}

/** Why the attempt is no success; undefined when its outputs were accepted. */
async function failureOf(
  tx: Db,
  run: RunRow,
  node: PlannedNode,
  nodeRun: NodeRunRow,
  attempt: AttemptRow,
  { status, exit_code, error_class = 'exit_nonzero', error_message, outputs }: Report,
): Promise<AttemptFailure | undefined> {
  const code = exit_code === undefined ? {} : { exit_code };
  if (status === 'success') {
    const problem = await acceptOutputs(tx, run, node, nodeRun, attempt, outputs);
    return problem && { ...problem, ...code };
  }
  // Of work that nobody asked to stop, it is the worker that gives it back.
  if (status === 'cancelled') {
    return { error_class: 'evicted', error_message: 'The worker gave the work back.' };
  }
  const message =
    error_message === undefined ? {} : { error_message: error_message.slice(0, 2000) };
  return { error_class, ...code, ...message };
}

async function stopped(
  tx: Db,
  run: RunRow,
  nodeRun: NodeRunRow,
  attempt: AttemptRow,
): Promise<Verdict> {
  await endAttempt(tx, attempt, 'cancelled', {});
  // Stopped by the run's own rule, not by a person: that is a skip, and the outcome differs.
  const byPerson = run.cancel_requested_at !== undefined;
  const ended = byPerson
    ? { status: 'cancelled' as const }
    : { status: 'skipped' as const, skip_reason: 'run_aborted' as const };
  await endNodeRun(tx, nodeRun.id, ended.status, ended);
  return { ended };
}

async function failed(
  tx: Db,
  run: RunRow,
  node: PlannedNode,
  nodeRun: NodeRunRow,
  attempt: AttemptRow,
  failure: AttemptFailure,
): Promise<Verdict> {
  const isLost = failure.error_class === 'lost_worker';
  await endAttempt(tx, attempt, isLost ? 'lost' : 'failure', failure);
  const verdict = afterFailure(
    failure,
    {
      attempt: nodeRun.attempt,
      max_attempts: nodeRun.max_attempts,
      system_faults: nodeRun.system_faults,
      retry_on: node.definition.retry.on,
      ...(await findTroubles(tx, nodeRun.id)),
    },
    Math.random(),
  );
  if (!verdict.retry) {
    const { error_class } = verdict;
    await endNodeRun(tx, nodeRun.id, 'failure', { ...failure, error_class });
    return { error_class, ended: { status: 'failure' } };
  }
  await requeue(tx, attempt, bandOf(run), {
    // A lost worker's work goes on at once: the wait was long enough.
    delay_ms: isLost ? 0 : verdict.delay_ms,
    memory_mb: Math.ceil(nodeRun.memory_mb * verdict.memory_factor),
    system: verdict.system,
  });
  return { error_class: failure.error_class };
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

/**
 * One usage event per attempt that ran a container. A credit is one cpu-minute; memory beyond
 * 4 GiB per cpu and gpus come on top by the price list (docs/operations.md). Faults of the
 * platform are free.
 */
async function chargeFor(tx: Db, attempt: AttemptRow, errorClass: string | undefined) {
  const seconds = await containerSeconds(tx, attempt.id);
  if (seconds === undefined) return;
  const rate =
    attempt.cpu + Math.max(0, attempt.memory_mb / 4096 - attempt.cpu) * 0.25 + attempt.gpu * 20;
  const isFree = errorClass !== undefined && factsOfError(errorClass).fault === 'platform';
  const millicredits = isFree ? 0 : Math.ceil((seconds / 60) * rate * 1000);
  await addUsage(tx, attempt, seconds, millicredits);
}
