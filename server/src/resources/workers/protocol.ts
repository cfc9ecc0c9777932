/** What a worker asks and reports while it works. Bytes do not pass here: they go by presigned URL. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Resources } from '@cogworks/graph/resources';
import { complete, giveUp, leaseLost, type Report } from '../../engine/attempts.ts';
import { type Claimed, claim } from '../../engine/claim.ts';
import { OrderProblem, orderOf } from '../../engine/order.ts';
import type { AttemptRow } from '../../engine/records.ts';
import {
  addUploads,
  findAttempt,
  findHeld,
  leaseSeconds,
  markContainerStarted,
  renewLeases,
} from '../../engine/runs.ts';
import { conflict, notFound } from '../../errors.ts';
import { recordObjects } from '../../objects/objects.ts';
import type { Services, WorkerCaller } from '../../services.ts';
import { addLogPiece, findWorker, logLength, noteHeartbeat } from './queries.ts';
import type { Heartbeat, Order } from './schema.ts';
import { superseded } from './standing.ts';
import { heartbeatSeconds } from './workers.ts';

const noOrder = 'The server could not put together what the container needs.';
/** Between SIGTERM and SIGKILL. */
const graceSeconds = 10;
/** What is kept of one attempt's output; the rest is cut, and the log says so. */
export const logBytes = 10 * 1024 * 1024;
/** A hint may get lost (another process made the work): this is how long until we look ourselves. */
const pollMs = 500;
const uploadSeconds = 6 * 3600;

export async function heartbeat(
  { db, quickDb, wakeups }: Services,
  { id: workerId, epoch }: WorkerCaller,
  beat: Heartbeat,
) {
  if (beat.just_started) {
    for (const attempt of await findHeld(db, workerId)) await giveUp(db, attempt, () => true);
    wakeups.ring();
  }
  const desired_state = await noteHeartbeat(quickDb, workerId, epoch, beat, leaseSeconds);
  if (!desired_state) throw superseded();
  const renewed =
    beat.attempts.length > 0 ? await renewLeases(quickDb, workerId, beat.attempts) : [];
  const held = new Set(renewed.map((attempt) => attempt.id));
  return {
    lease_ttl_seconds: leaseSeconds,
    heartbeat_interval_seconds: heartbeatSeconds,
    cancel: renewed
      .filter((attempt) => attempt.cancel_requested_at !== undefined)
      .map((attempt) => ({ attempt_id: attempt.id, grace_seconds: graceSeconds })),
    abandon: beat.attempts.map((attempt) => attempt.attempt_id).filter((id) => !held.has(id)),
    desired_state,
  };
}

/**
 * Hands out work, waiting for some up to `waitSeconds`.
 *
 * @returns the orders; empty when the time was over, or the worker is to take no more.
 */
export async function acquire(
  services: Services,
  { id: workerId, epoch }: WorkerCaller,
  wanted: { free: Resources; max: number; wait_seconds?: number },
  signal: AbortSignal,
): Promise<Order[]> {
  const { db, wakeups } = services;
  const deadline = Date.now() + (wanted.wait_seconds ?? 0) * 1000;
  while (!signal.aborted) {
    const worker = await findWorker(db, workerId, leaseSeconds);
    // While this waited, another process may have started.
    if (worker && worker.epoch !== epoch) throw superseded();
    if (worker?.desired_state !== 'active') {
      // A drained worker that asks on would otherwise ask without a pause.
      await delay(Math.min(1000, Math.max(0, deadline - Date.now())));
      return [];
    }
    // Results that cannot be stored would fail their work: it waits until there is room.
    const isFull = (await services.storage.room()) <= 0;
    const asking = { id: workerId, tenant_id: worker.tenant_id, epoch, features: worker.features };
    const claimed = isFull ? [] : await claim(db, asking, wanted.free, wanted.max);
    const orders = await ordersOf(services, workerId, claimed);
    if (signal.aborted) {
      // Nobody is there to take them: the lease would have to run out first.
      for (const { attempt_id, lease_token } of orders) {
        const back = { lease_token, status: 'cancelled' as const, outputs: [] };
        await completeAttempt(services, workerId, attempt_id, back);
      }
      break;
    }
    if (orders.length > 0) return orders;
    const left = deadline - Date.now();
    if (left <= 0) break;
    await wakeups.next(Math.min(left, pollMs), signal);
  }
  return [];
}

/** The orders of what was claimed. One that cannot be made fails its attempt, and no other. */
async function ordersOf(
  services: Services,
  workerId: number,
  claimed: Claimed[],
): Promise<Order[]> {
  const orders = claimed.map((attempt) =>
    orderOf(services, attempt).catch(async (error: unknown) => {
      services.log.error({ err: error, attempt_id: attempt.id }, 'an order could not be made');
      await completeAttempt(services, workerId, attempt.id, {
        lease_token: attempt.lease_token,
        status: 'failure',
        ...(error instanceof OrderProblem
          ? { error_class: 'bad_params', error_message: error.message }
          : { error_class: 'infrastructure', error_message: noOrder }),
        outputs: [],
      });
      return [];
    }),
  );
  return (await Promise.all(orders)).flat();
}

/** The container runs: from now on its time counts. */
export async function containerStarted(
  { db }: Services,
  workerId: number,
  attemptId: number,
  leaseToken: string,
) {
  await markContainerStarted(db, await requireHeld({ db }, workerId, attemptId, leaseToken));
}

/** Objects for the outputs, recorded before their first byte; unused ones are collected. */
export async function openUploads(
  { db, storage }: Services,
  workerId: number,
  attemptId: number,
  leaseToken: string,
  files: { size_bytes: number }[],
): Promise<{ object_id: number; url: string }[]> {
  const attempt = await requireHeld({ db }, workerId, attemptId, leaseToken);
  const objects = await recordObjects(db, attempt.tenant_id, files.length, uploadSeconds);
  await addUploads(
    db,
    attempt.tenant_id,
    attempt.id,
    objects.map(({ id }) => id),
  );
  return Promise.all(
    objects.map(async ({ id, key }, index) => ({
      object_id: id,
      url: await storage.presign('PUT', key, {
        expires_in: uploadSeconds,
        max_bytes: files[index]?.size_bytes ?? 0,
      }),
    })),
  );
}

/**
 * Adds to the log. Pieces come in order; one that came before is fine.
 *
 * @throws DomainError 409 `log_gap` with the offset expected, when a piece in between is missing.
 */
export async function appendLog(
  { db }: Services,
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
  await addLogPiece(db, attempt.tenant_id, attempt.id, start_offset, bytes);
}

export async function completeAttempt(
  services: Services,
  workerId: number,
  attemptId: number,
  report: Report,
) {
  await complete(services, workerId, attemptId, report);
  // What follows in the run may start now, on whoever waits.
  services.wakeups.ring();
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
