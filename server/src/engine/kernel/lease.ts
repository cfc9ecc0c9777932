/** The start of an attempt: a node run is leased to a worker. */
import type { NodeRunRow } from '../records.ts';
import type { NewAttempt, Payment } from './changes.ts';
import type { PlannedNode } from './plan.ts';
import { changeRow, countersOf, type RunState } from './state.ts';

/**
 * Leases a node run to a worker. If it became ready in this decision it is never queued; otherwise
 * it is taken from the queue.
 */
export function lease(
  state: RunState,
  row: NodeRunRow,
  worker: { attempt_id: number; lease_token: string; worker_id: number },
  payment?: Payment,
): NewAttempt {
  const { run, plan, changes, now } = state;
  const node = plan.byKey.get(row.node_key) as PlannedNode;
  const at = changes.ready.findIndex((ready) => ready.row.id === row.id);
  if (at >= 0) changes.ready.splice(at, 1);
  else changes.unqueued.push(row.id);
  const number = row.attempt + 1;
  const { worker_id, attempt_id, lease_token } = worker;
  changeRow(state, node, {
    ...row,
    status: 'running',
    attempt: number,
    worker_id,
    started_at: row.started_at ?? now,
  });
  countersOf(state, node).running += 1;
  if (run.status === 'queued') run.status = 'running';
  run.started_at ??= now;
  changes.run = true;
  const { cpu, memory_mb, gpu, disk_mb } = node.definition.resources;
  const attempt: NewAttempt = {
    id: attempt_id,
    node_run_id: row.id,
    number,
    position: node.position,
    worker_id,
    lease_token,
    ...{ cpu, memory_mb: row.memory_mb ?? memory_mb, gpu, disk_mb },
    ...(payment && { payment }),
  };
  changes.started.push(attempt);
  return attempt;
}
