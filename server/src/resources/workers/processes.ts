/**
 * The programs behind a worker's identity. Each start is an epoch, and only the newest works: an
 * older one is told so with its next call, stops what it runs and gives it back. Its reports still
 * count, because the lease decides about those, and no two programs hold the same lease.
 */

import type { WorkerCaller } from '../../callers.ts';
import { leaseSeconds, shortenLeases } from '../../engine/tables/attempts.ts';
import { notFound } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { giveUpHeld } from './protocol.ts';
import { beginEpoch, endEpoch } from './queries.ts';
import type { ProcessStart } from './schema.ts';
import { heartbeatSeconds } from './workers.ts';

/**
 * How long a program that was replaced keeps its leases: it hears of it within a heartbeat, its
 * containers have ten seconds of grace, and the rest is for removing and reporting them.
 */
export const handoverSeconds = 20;

/**
 * A program starts: from now on its predecessor may not work. What that one holds runs again at
 * once when `ended_epoch` says that it is gone, and otherwise as soon as it gives it back, or has
 * not within `handoverSeconds`.
 */
export async function startProcess(
  services: Services,
  workerId: number,
  { ended_epoch, ...start }: ProcessStart,
) {
  const { epoch, previous } = await services.db.transaction(async (tx) => {
    const begun = await beginEpoch(tx, workerId, start);
    if (!begun) throw notFound('Worker');
    await shortenLeases(tx, workerId, handoverSeconds);
    return begun;
  });
  if (ended_epoch !== undefined && ended_epoch === previous) await giveUpHeld(services, workerId);
  return {
    epoch,
    heartbeat_interval_seconds: heartbeatSeconds,
    lease_ttl_seconds: leaseSeconds,
  };
}

/** A program ends: it is offline at once. One that was replaced says nothing by it. */
export async function stopProcess({ db }: Services, { id, epoch }: WorkerCaller): Promise<void> {
  await endEpoch(db, id, epoch);
}
