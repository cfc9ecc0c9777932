/**
 * The processes that share a worker's identity. Each start begins an epoch, and only the newest may
 * work. An older one learns that from its next call, stops its containers and gives their work
 * back. Its reports still count, because leases decide that, and no two processes hold the same
 * lease.
 */

import type { WorkerCaller } from '../../callers.ts';
import { leaseSeconds, shortenLeases } from '../../engine/tables/attempts.ts';
import { notFound } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { giveUpHeld } from './protocol.ts';
import { beginEpoch, endEpoch, tellOfWorker } from './queries.ts';
import type { ProcessStart } from './schema.ts';
import { heartbeatSeconds } from './workers.ts';

/**
 * How long a replaced process keeps its leases: it learns of the replacement within a heartbeat,
 * its containers have ten seconds of grace, and the rest is for removing and reporting them.
 */
export const handoverSeconds = 20;

/**
 * Registers a new process; its predecessor may no longer work. The predecessor's node runs restart
 * at once if `ended_epoch` says that it has ended; otherwise when it gives them back, or after
 * `handoverSeconds`.
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
    await tellOfWorker(tx, workerId, leaseSeconds);
    return begun;
  });
  if (ended_epoch !== undefined && ended_epoch === previous) await giveUpHeld(services, workerId);
  return {
    epoch,
    heartbeat_interval_seconds: heartbeatSeconds,
    lease_ttl_seconds: leaseSeconds,
  };
}

/** Registers the end of a process: the worker is offline at once, unless it was replaced before. */
export async function stopProcess({ db }: Services, { id, epoch }: WorkerCaller): Promise<void> {
  await db.transaction(async (tx) => {
    await endEpoch(tx, id, epoch);
    await tellOfWorker(tx, id, leaseSeconds);
  });
}
