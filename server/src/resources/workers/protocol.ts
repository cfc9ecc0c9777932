/** What workers request and report while they work. File contents go by presigned URL instead. */

import { setTimeout as delay } from 'node:timers/promises';
import type { WorkerCaller } from '../../callers.ts';
import { holdMore } from '../../engine/attempts/holding.ts';
import { placeOfText } from '../../engine/attempts/inputs.ts';
import type { Report } from '../../engine/attempts/judge.ts';
import { inputsFrom, type Lease, OrderProblem, ordersOf } from '../../engine/attempts/orders.ts';
import { stateOf } from '../../engine/load.ts';
import type { AttemptRow } from '../../engine/records.ts';
import {
  type Ask,
  type AskOutcome,
  type HandedOut,
  leaseLost,
  type Task,
} from '../../engine/rounds/tasks.ts';
import {
  addUploads,
  findAttempt,
  findHeld,
  type LostOrder,
  leaseSeconds,
  markContainerStarted,
  renewLeases,
} from '../../engine/tables/attempts.ts';
import { findNodeRunsWithin } from '../../engine/tables/node-runs.ts';
import { findStoredRuns } from '../../engine/tables/runs.ts';
import { badField, conflict, DomainError, notFound } from '../../errors.ts';
import { markDead, noteWhatIsStored, recordObjects } from '../../objects/objects.ts';
import { quotaExceeded } from '../../objects/quota.ts';
import type { Services } from '../../services.ts';
import { addLogPiece, logLength, noteHeartbeat } from './queries.ts';
import type { Heartbeat, Order } from './schema.ts';
import { superseded } from './standing.ts';
import { heartbeatSeconds } from './workers.ts';

const noOrder = 'The server could not put together what the container needs.';
/** Grace period between SIGTERM and SIGKILL. */
const graceSeconds = 10;
/** By the next heartbeat and the end of the grace period, it would have run for so long. */
const stop_ms = (heartbeatSeconds + graceSeconds) * 1000;
/** Stored log bytes per attempt; the rest is cut off, and the log says so. */
export const logBytes = 10 * 1024 * 1024;
/** Without it a drained worker would poll without a pause. */
const drainedPause_ms = 1000;
const uploadSeconds = 6 * 3600;

export async function heartbeat(
  services: Services,
  { id: workerId, epoch }: WorkerCaller,
  beat: Heartbeat,
) {
  const { quickDb, rounds } = services;
  if (beat.just_started) await giveUpHeld(services, workerId);
  const noted = await noteHeartbeat(quickDb, workerId, epoch, beat, leaseSeconds);
  if (!noted) throw superseded();
  const renewed =
    beat.attempts.length > 0 ? await renewLeases(quickDb, workerId, beat.attempts) : [];
  if (renewed.some(({ has_moved }) => has_moved)) rounds.ground.newEvents.tell();
  const unpaid = await holdMore(quickDb, workerId, renewed, stop_ms);
  const held = new Set(renewed.map((attempt) => attempt.id));
  await takeBack(services, workerId, noted.lost);
  return {
    lease_ttl_seconds: leaseSeconds,
    heartbeat_interval_seconds: heartbeatSeconds,
    cancel: renewed
      .filter(({ id, cancel_requested_at }) => unpaid.has(id) || cancel_requested_at !== undefined)
      .map((attempt) => ({ attempt_id: attempt.id, grace_seconds: graceSeconds })),
    abandon: beat.attempts.map((attempt) => attempt.attempt_id).filter((id) => !held.has(id)),
    desired_state: noted.desired_state,
  };
}

/**
 * Requeues attempts the worker does not know of because the answer with their orders was lost. This
 * uses up no retry budget, and happens long before the lease expires.
 */
async function takeBack(
  { rounds }: Services,
  worker_id: number,
  lost: readonly LostOrder[],
): Promise<void> {
  const tasks = lost.map(({ id, lease_token }) => ({
    do: 'report' as const,
    ...{ worker_id, attempt_id: id, looked: true },
    report: { lease_token, status: 'cancelled' as const, outputs: [] },
  }));
  // If that fails, the next heartbeat tries again.
  if (tasks.length > 0) await rounds.together(tasks, undefined).results;
}

/** Ends all attempts the worker holds: its process is gone and will not report. */
export async function giveUpHeld({ db, rounds }: Services, workerId: number): Promise<void> {
  const held = await findHeld(db, workerId);
  const tasks = held.map((attempt) => ({
    do: 'give up' as const,
    attempt,
    isLost: () => true,
    wait_ms: 8000,
  }));
  const results = await rounds.together(tasks, undefined).results;
  for (const result of results) if ('error' in result) throw result.error;
}

type Wanted = Pick<Ask, 'free' | 'max' | 'takes_pages'>;

/**
 * Hands out work, waiting up to `wait_seconds` for it.
 *
 * @returns the orders; none if the time is over, or the worker may take no more work.
 */
export async function acquire(
  services: Services,
  { id: worker_id, epoch }: WorkerCaller,
  { wait_seconds = 0, ...wanted }: Wanted & { wait_seconds?: number },
  signal: AbortSignal,
): Promise<Order[]> {
  const wait_ms = wait_seconds * 1000;
  const outcome = await services.rounds.ask({ worker_id, epoch, ...wanted }, wait_ms, signal);
  if (outcome.standing === 'away') {
    await delay(Math.min(drainedPause_ms, wait_ms), undefined, { signal }).catch(() => {});
  }
  return take(services, worker_id, outcome, signal);
}

export type AttemptReport = Report & { attempt_id: number };

/** The result of a report: `ok`, or an error code. */
type Accepted = { attempt_id: number; result: string; message?: string };

/**
 * Takes reports and hands out work in the same step. Node runs that became ready by the reports are
 * available at once; a call with reports does not wait for more.
 */
export async function exchange(
  services: Services,
  { id: worker_id, epoch }: WorkerCaller,
  {
    reports,
    wait_seconds,
    ...wanted
  }: Wanted & { reports: AttemptReport[]; wait_seconds?: number },
  signal: AbortSignal,
): Promise<{ accepted: Accepted[]; orders: Order[] }> {
  if (reports.length === 0) {
    const asked = { ...wanted, ...(wait_seconds === undefined ? {} : { wait_seconds }) };
    const orders =
      wanted.max > 0 ? await acquire(services, { id: worker_id, epoch }, asked, signal) : [];
    return { accepted: [], orders };
  }
  const ask = wanted.max > 0 ? { worker_id, epoch, ...wanted } : undefined;
  const { results, answer } = await report(services, worker_id, reports, ask);
  const accepted = results.map((error, at): Accepted => {
    const { attempt_id } = reports[at] as AttemptReport;
    if (error === undefined) return { attempt_id, result: 'ok' };
    if (error instanceof DomainError)
      return { attempt_id, result: error.code ?? error.problem, message: error.message };
    services.log.error({ err: error, attempt_id }, 'a report could not be taken');
    return { attempt_id, result: 'internal', message: 'Send this report again by itself.' };
  });
  // Reports of a replaced process still count, but it gets no work.
  const isReplaced = answer.standing === 'superseded';
  return { accepted, orders: isReplaced ? [] : await take(services, worker_id, answer, signal) };
}

/** @throws DomainError 404, 409 `lease_lost`; then nothing was changed. */
export async function completeAttempt(
  services: Services,
  workerId: number,
  attempt_id: number,
  given: Report,
): Promise<void> {
  const { results } = await report(services, workerId, [{ ...given, attempt_id }], undefined);
  if (results[0] !== undefined) throw results[0];
}

/** @returns for each report the error, or undefined if it was accepted. */
async function report(
  { db, storage, rounds }: Services,
  worker_id: number,
  reports: readonly AttemptReport[],
  ask: Ask | undefined,
): Promise<{ results: unknown[]; answer: AskOutcome }> {
  const taskOf = ({ attempt_id, ...report }: AttemptReport, looked: boolean) =>
    ({ do: 'report', worker_id, attempt_id, report, looked }) satisfies Task;
  // What the reports make ready is known only when the bucket has been asked about their outputs.
  const asksLater = storage.is_remote && reports.some(({ outputs }) => outputs.length > 0);
  const first = rounds.together(
    reports.map((one) => taskOf(one, false)),
    asksLater ? undefined : ask,
  );
  const outcomes = await first.results;
  const results = outcomes.map((outcome) => ('error' in outcome ? outcome.error : undefined));
  const noted = await Promise.all(
    outcomes.map(async (outcome, at) => {
      const look_at = 'error' in outcome ? undefined : outcome.result.look_at;
      const tenant = look_at?.[0]?.tenant_id;
      if (look_at === undefined || tenant === undefined) return [];
      const ids = look_at.map(({ id }) => id);
      return noteWhatIsStored({ db, storage }, tenant, ids).then(
        () => [at],
        (error: unknown) => {
          results[at] = error;
          return [];
        },
      );
    }),
  );
  const again = noted.flat();
  const nothing = { leases: [], standing: 'open' as const };
  if (again.length === 0 && !asksLater) {
    return { results, answer: await first.answer.catch(() => nothing) };
  }
  const second = rounds.together(
    again.map((at) => taskOf(reports[at] as AttemptReport, true)),
    asksLater ? ask : undefined,
  );
  for (const [index, outcome] of (await second.results).entries())
    results[again[index] as number] = 'error' in outcome ? outcome.error : undefined;
  const answer = await (asksLater ? second : first).answer.catch(() => nothing);
  return { results, answer };
}

/** Composes the orders of leases. One that cannot be composed fails only its own attempt. */
async function take(
  services: Services,
  workerId: number,
  { leases, standing }: AskOutcome,
  signal: AbortSignal,
): Promise<Order[]> {
  if (standing === 'superseded') throw superseded();
  if (leases.length === 0) return [];
  const made = await allOrders(services, leases);
  // The client has gone: give the leases back instead of letting them expire.
  if (signal.aborted) {
    await Promise.all(leases.map((lease) => giveBack(services, workerId, lease)));
    return [];
  }
  const orders = made.map(async (order, at) => {
    if (!(order instanceof Error)) return [order];
    await failOrder(services, workerId, leases[at] as Lease, order);
    return [];
  });
  return (await Promise.all(orders)).flat();
}

/** The orders of all leases, including those that the round did not compose. */
async function allOrders(
  { rounds }: Services,
  leases: readonly HandedOut[],
): Promise<(Order | Error)[]> {
  const { db, orders } = rounds.ground;
  const large = leases.filter(({ order }) => order === undefined);
  const made =
    large.length === 0
      ? []
      : await ordersOf({ ...orders, files: db }, large).catch((error: Error) =>
          large.map(() => error),
        );
  const later = new Map(large.map((lease, at) => [lease, made[at] as Order | Error]));
  return leases.map((lease) => lease.order ?? (later.get(lease) as Order | Error));
}

const giveBack = (services: Services, workerId: number, { attempt }: Lease) =>
  completeAttempt(services, workerId, attempt.id, {
    lease_token: attempt.lease_token,
    status: 'cancelled',
    outputs: [],
  });

async function failOrder(
  services: Services,
  workerId: number,
  { attempt }: Lease,
  error: Error,
): Promise<void> {
  services.log.error({ err: error, attempt_id: attempt.id }, 'an order could not be made');
  await completeAttempt(services, workerId, attempt.id, {
    lease_token: attempt.lease_token,
    status: 'failure',
    ...(error instanceof OrderProblem
      ? { error_class: 'bad_params', error_message: error.message }
      : { error_class: 'infrastructure', error_message: noOrder }),
    outputs: [],
  });
}

/**
 * Inputs that an order did not name, starting at the end of the order or of the previous page.
 *
 * @throws DomainError 422 for a `start` that is not a cursor of ours.
 */
export async function readInputs(
  { db, storage, rounds }: Services,
  workerId: number,
  attemptId: number,
  { lease_token, start }: { lease_token: string; start: string },
) {
  const place = placeOfText(start);
  if (!place) throw badField('start', 'This is not from an order or an earlier page.');
  const { run_id, node_run_id } = await requireHeld({ db }, workerId, attemptId, lease_token);
  const [[run], rows] = await Promise.all([
    findStoredRuns(db, [run_id]),
    findNodeRunsWithin(db, [{ first: node_run_id, last: node_run_id }]),
  ]);
  const [row] = rows;
  if (!run || !row) throw notFound('Attempt');
  const state = stateOf(run, await rounds.ground.plans.planOf(db, run), rows);
  return inputsFrom({ files: db, storage }, { state, row }, place);
}

/** The container has started: its time counts from now on. */
export async function containerStarted(
  { db }: Services,
  workerId: number,
  attemptId: number,
  leaseToken: string,
) {
  await markContainerStarted(db, await requireHeld({ db }, workerId, attemptId, leaseToken));
}

/**
 * Creates objects for outputs, recorded before their first byte; unused ones are collected.
 *
 * @throws DomainError 403 `quota_exceeded` if there is no room for all of them.
 */
export async function openUploads(
  { db, storage }: Services,
  workerId: number,
  attemptId: number,
  leaseToken: string,
  files: { size_bytes: number }[],
): Promise<{ object_id: number; url: string }[]> {
  const attempt = await requireHeld({ db }, workerId, attemptId, leaseToken);
  const { tenant_id } = attempt;
  const sizes = files.map(({ size_bytes }) => size_bytes);
  const recorded = await recordObjects(db, tenant_id, sizes, uploadSeconds);
  const objects = recorded.filter((object) => object !== undefined);
  const ids = objects.map(({ id }) => id);
  if (objects.length < files.length) {
    await markDead(db, tenant_id, ids);
    const needed_bytes = sizes.reduce((sum, size) => sum + size, 0);
    throw await quotaExceeded(db, tenant_id, needed_bytes);
  }
  await addUploads(db, tenant_id, attempt.id, ids);
  return Promise.all(
    objects.map(async ({ id, key }, index) => ({
      object_id: id,
      url: await storage.presign('PUT', key, {
        expires_in: uploadSeconds,
        size_bytes: files[index]?.size_bytes ?? 0,
      }),
    })),
  );
}

/**
 * Appends to the log. Pieces come in order; a repeated one is accepted.
 *
 * @throws DomainError 409 `log_gap` with the expected offset, if a piece in between is missing.
 */
export async function appendLog(
  { db, rounds }: Services,
  workerId: number,
  attemptId: number,
  { lease_token, start_offset, data }: { lease_token: string; start_offset: number; data: string },
): Promise<void> {
  const attempt = await requireHeld({ db }, workerId, attemptId, lease_token);
  const bytes = Buffer.from(data, 'base64');
  const length = await logLength(db, attempt.tenant_id, attempt.id);
  if (start_offset > length)
    throw conflict('log_gap', `A piece is missing: send from offset ${length}.`);
  if (bytes.length === 0 || length >= logBytes) return;
  await addLogPiece(db, attempt, start_offset, bytes);
  rounds.ground.newEvents.tell();
}

async function requireHeld(
  { db }: Pick<Services, 'db'>,
  workerId: number,
  attemptId: number,
  leaseToken: string,
): Promise<AttemptRow> {
  const attempt = await findAttempt(db, workerId, attemptId);
  if (!attempt) throw notFound('Attempt');
  const live = attempt.status === 'leased' || attempt.status === 'running';
  if (!live || attempt.lease_token !== leaseToken) throw leaseLost();
  return attempt;
}
