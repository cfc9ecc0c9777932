/** Whether all that the database stores of an ended run fits together. */
import assert from 'node:assert/strict';
import type { Db } from '../src/db/connection.ts';

/** Nothing of the run is left over, and its counters, charges and objects are as its node runs say. */
export async function requireSound(db: Db, id: number): Promise<void> {
  const [wrong] = await db`
    select
      (select count(*) from ready_queue where run_id = ${id}) as queued,
      (select count(*) from attempts where run_id = ${id} and status in ('leased', 'running')) as live,
      (select count(*)
       from run_nodes
       where run_id = ${id}
         and (expected, running, success, failure, cancelled, skipped_by_condition, skipped_upstream, reused)
           is distinct from (
             select (count(*)::int, 0,
               count(*) filter (where status = 'success')::int,
               count(*) filter (where status = 'failure')::int,
               count(*) filter (where status = 'cancelled')::int,
               count(*) filter (where skip_reason in ('condition_false', 'upstream_skipped'))::int,
               count(*) filter (where status = 'skipped' and skip_reason not in ('condition_false', 'upstream_skipped'))::int,
               (count(reused_from_node_run_id) filter (where status = 'success'))::int)
             from node_runs
             where node_runs.run_id = run_nodes.run_id and node_runs.node_key = run_nodes.node_key
           )
      ) as miscounted,
      (select count(*)
       from attempts
       full join usage_events on usage_events.attempt_id = attempts.id
       where coalesce(attempts.run_id, usage_events.run_id) = ${id}
         and (attempts.started_at is null) <> (usage_events.attempt_id is null)) as mischarged,
      (select count(*)
       from node_run_outputs
       join objects on objects.id = object_id
       where run_id = ${id} and state <> 'live') as outputs_gone,
      (select count(*)
       from attempt_uploads
       join attempts on attempts.id = attempt_id
       join objects on objects.id = object_id
       where run_id = ${id} and attempts.status <> 'success' and state = 'live') as uploads_kept
  `;
  const nothing = { queued: 0, live: 0, miscounted: 0, mischarged: 0, outputs_gone: 0 };
  assert.deepEqual({ ...wrong }, { ...nothing, uploads_kept: 0 });
}
