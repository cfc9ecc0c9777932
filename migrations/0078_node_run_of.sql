-- What a node run is before it has a row was said by the view node_runs, and again by each
-- statement that reads only some lanes of a run. It is said once here.

-- Adds what its node runs are that have no row: they wait, or the run was stopped.
create or replace view run_nodes as
select
  run.tenant_id, run.id as run_id, graph.node_keys[at] as node_key, at - 1 as position,
  graph.definition_ids[at] as node_definition_id,
  nullif(node_counts[at * 9 - 8], -1) as expected,
  node_counts[at * 9 - 7] as begun,
  node_counts[at * 9 - 6] as running,
  node_counts[at * 9 - 5] as success,
  node_counts[at * 9 - 4] as failure,
  node_counts[at * 9 - 3] as cancelled,
  node_counts[at * 9 - 2] as skipped_by_condition,
  node_counts[at * 9 - 1] as skipped_upstream,
  node_counts[at * 9] as reused,
  first_ids[at] as first_id,
  graph.mapped[at] as mapped,
  graph.lane_inputs[at] as lane_input,
  case run.waiting_ended_as
    when 'cancelled' then 'cancelled' when 'run_aborted' then 'skipped' else 'pending'
  end as waiting_status,
  case when run.waiting_ended_as = 'run_aborted' then 'run_aborted' end as waiting_skip_reason,
  case
    when run.waiting_ended_as is not null then coalesce(run.cancel_requested_at, run.finished_at)
  end as waiting_finished_at
from workflow_runs as run
join run_graphs as graph on graph.tenant_id = run.tenant_id and graph.hash = run.graph_hash
cross join lateral generate_subscripts(graph.node_keys, 1) as at;

-- The lanes of the nodes whose lanes are known. A node that runs once has one.
create view run_lanes as
select node.*, lane
from run_nodes as node
cross join lateral generate_series(0, node.expected - 1) as lane
where node.first_id > 0;

-- The node run in one lane of a node. PostgreSQL puts the body in place of the call, so its row is
-- found by key ("offset 0"). Planned as a join, the whole table was read for a run of three node
-- runs: nobody can tell beforehand how many lanes a run has.
create function node_run_of(place run_lanes)
returns table (
  id bigint, tenant_id bigint, run_id bigint, node_key text, "position" int,
  node_definition_id bigint, shard_index int, cog_id bigint, status text, skip_reason text,
  attempt int, max_attempts int, system_faults int, memory_mb int, reused_from_node_run_id bigint,
  worker_id bigint, exit_code int, error_class text, error_message text,
  queued_at timestamptz, started_at timestamptz, finished_at timestamptz
)
language sql stable
begin atomic
  select
    wanted.id, place.tenant_id, place.run_id, place.node_key, place.position,
    place.node_definition_id,
    case when begun.id is not null then begun.shard_index when place.mapped then place.lane end,
    (
      select file.cog_id
      from run_files as file
      where file.tenant_id = place.tenant_id and file.run_id = place.run_id
        and file.direction = 'input' and file.input_name = place.lane_input
        and file.position = place.lane
    ),
    case when begun.id is not null then begun.status else place.waiting_status end,
    case when begun.id is not null then begun.skip_reason else place.waiting_skip_reason end,
    coalesce(begun.attempt, 0),
    (
      select (definition.retry->>'max_attempts')::int
      from node_definitions as definition where definition.id = place.node_definition_id
    ),
    coalesce(begun.system_faults, 0),
    begun.memory_mb, begun.reused_from_node_run_id, begun.worker_id, begun.exit_code,
    begun.error_class, begun.error_message, begun.queued_at, begun.started_at,
    case when begun.id is not null then begun.finished_at else place.waiting_finished_at end
  from (values (place.first_id + place.lane)) as wanted (id)
  left join lateral (
    select * from begun_node_runs where begun_node_runs.id = wanted.id offset 0
  ) as begun on true;
end;

-- All node runs of a run, begun or not. Ask it for one run.
drop view node_runs;
create view node_runs as
select node_run.* from run_lanes as place cross join lateral node_run_of(place) as node_run;
