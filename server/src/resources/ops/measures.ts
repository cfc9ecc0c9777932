/** Sets the metrics that are measured when somebody asks, instead of counted. */
import type { Services } from '../../services.ts';
import { oldestDue } from '../notices/deliveries/sending.ts';
import { countWorkersByStatus } from '../workers/workers.ts';
import { measure } from './queries.ts';

type Measuring = Pick<
  Services,
  'config' | 'db' | 'engineDb' | 'kernelDb' | 'quickDb' | 'storage' | 'metrics'
>;

/** Three statements on the engine's pool: a server that is busy with requests is measured as well. */
export async function setMeasures(services: Measuring): Promise<void> {
  const { config, engineDb, storage, metrics } = services;
  const [measured, workers, notice_s, room] = await Promise.all([
    measure(engineDb),
    countWorkersByStatus(engineDb),
    oldestDue(engineDb, config),
    storage.room(),
  ]);
  metrics.storageRoom.set(room);
  metrics.leases.set(measured.leases);
  metrics.holdsOpen.set(measured.holds_open);
  metrics.leaseOverdue.set(measured.lease_overdue_seconds);
  metrics.triggersOverdue.set(measured.trigger_overdue_seconds);
  metrics.triggersFailing.set(measured.triggers_failing);
  metrics.arrivals.set(measured.arrivals);
  metrics.noticesOldest.set(notice_s ?? 0);
  metrics.objectsToCollect.set(measured.objects_to_collect);
  metrics.storedBytes.set(measured.stored_bytes);
  metrics.auditUnsealed.set(measured.unsealed_events);
  for (const reason of ['worker', 'backoff'] as const) {
    const waiting = measured.queue.find((one) => one.reason === reason);
    metrics.queueDepth.set({ reason }, waiting?.depth ?? 0);
    metrics.queueOldest.set({ reason }, waiting?.oldest_seconds ?? 0);
  }
  for (const status of ['queued', 'running'])
    metrics.runsUnderWay.set({ status }, countOf(measured.runs, status));
  for (const status of ['online', 'draining', 'offline', 'disabled'])
    metrics.workers.set({ status }, countOf(workers, status));
  setConnections(services);
}

function setConnections(services: Measuring): void {
  for (const pool of ['db', 'engineDb', 'kernelDb', 'quickDb'] as const)
    for (const [state, count] of Object.entries(services[pool].usage()))
      services.metrics.connections.set({ pool, state }, count);
}

const countOf = (counts: readonly { status: string; count: number }[], status: string) =>
  counts.find((one) => one.status === status)?.count ?? 0;
