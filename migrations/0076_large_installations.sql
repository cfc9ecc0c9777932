-- What plans showed at a million files and ten million node runs (docs/decisions/0016-large-installations.md).

-- Removing an object asks these tables whether they still refer to it. Without an index each removed object
-- read both of them, so in a large installation the collector removed nothing in the time it has.
create index node_run_outputs_by_object on node_run_outputs (object_id);
create index run_files_by_object on run_files (object_id);

-- The unique key on the same columns can be read backwards; runs are counted along those below.
drop index workflow_runs_by_tenant;

-- Lists of runs by what they are asked for.
drop index workflow_runs_under_way;
create index workflow_runs_under_way on workflow_runs (tenant_id, id)
  where status in ('queued', 'running');
create index workflow_runs_without_success on workflow_runs (tenant_id, id)
  where status in ('failure', 'partial_success', 'cancelled');
create index workflow_runs_by_workflow on workflow_runs (tenant_id, workflow_id, id)
  where deleted_at is null;
create index workflow_runs_by_starter on workflow_runs (tenant_id, started_by, id)
  where deleted_at is null;

-- Folders alone: nothing looks for files by their folder without their name or order. Deleted ones
-- are in it, because the depth of what is below a folder counts them.
drop index cogs_by_parent;
create index cogs_folders_in_folder on cogs (tenant_id, parent_id, name, id)
  where cog_type = 'asset_folder';

-- By age, for the removal of old logs.
drop index attempts_with_logs;
create index attempts_with_logs on attempts (tenant_id, finished_at, id) include (log_bytes)
  where log_bytes > 0;

-- Nothing reads along these.
drop index cogs_deleted;
drop index usage_events_by_tenant;

-- The rows of node runs are looked up one by one ("offset 0"). Planned as a join, the whole table was
-- read for a run of three node runs: nobody can tell beforehand how many lanes a run has.
create or replace view node_runs as
select
  node.first_id + lane as id, node.tenant_id, node.run_id, node.node_key, node.position,
  node.node_definition_id,
  case when begun.id is not null then begun.shard_index when node.mapped then lane end as shard_index,
  (
    select cog_id
    from run_files as file
    where file.tenant_id = node.tenant_id and file.run_id = node.run_id
      and file.direction = 'input' and file.input_name = node.lane_input and file.position = lane
  ) as cog_id,
  case
    when begun.id is not null then begun.status
    when run.waiting_ended_as = 'cancelled' then 'cancelled'
    when run.waiting_ended_as = 'run_aborted' then 'skipped'
    else 'pending'
  end as status,
  case
    when begun.id is not null then begun.skip_reason
    when run.waiting_ended_as = 'run_aborted' then 'run_aborted'
  end as skip_reason,
  coalesce(begun.attempt, 0) as attempt,
  (
    select (definition.retry->>'max_attempts')::int
    from node_definitions as definition where definition.id = node.node_definition_id
  ) as max_attempts,
  coalesce(begun.system_faults, 0) as system_faults,
  begun.memory_mb, begun.reused_from_node_run_id, begun.worker_id, begun.exit_code,
  begun.error_class, begun.error_message, begun.queued_at, begun.started_at,
  case
    when begun.id is not null then begun.finished_at
    when run.waiting_ended_as is not null then coalesce(run.cancel_requested_at, run.finished_at)
  end as finished_at
from run_nodes as node
join workflow_runs as run on run.id = node.run_id
cross join lateral generate_series(0, node.expected - 1) as lane
left join lateral (
  select * from begun_node_runs where id = node.first_id + lane offset 0
) as begun on true
where node.first_id > 0;
