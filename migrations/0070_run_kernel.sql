-- The run kernel reads what a decision needs, decides in memory, and writes once. What every step
-- reads and writes is made small here.

-- Graphs of runs, each once per tenant. A run names its graph by hash, so a process reads it once.
create table run_graphs (
  tenant_id      bigint not null references tenants,
  -- SHA-256 of the graph's text, as jsonb writes it.
  hash           bytea not null,
  graph          jsonb not null,
  -- Of each node, in topological order: its key, what it runs, whether it runs once per lane, and
  -- the input of the graph whose files its lanes are.
  node_keys      text[] not null,
  definition_ids bigint[] not null,
  mapped         boolean[] not null,
  lane_inputs    text[] not null,

  primary key (tenant_id, hash)
);

insert into run_graphs (tenant_id, hash, graph, node_keys, definition_ids, mapped, lane_inputs)
select run.tenant_id, run.hash, run.graph, nodes.*
from (
  select distinct on (tenant_id, hash) *
  from workflow_runs
  cross join lateral (select sha256(convert_to(graph::text, 'UTF8')) as hash) as hashed
  order by tenant_id, hash, id
) as run
cross join lateral (
  -- As graph/src/lanes.ts says, and not by what files a run has: an input may have none.
  with recursive edges as (
    select
      edge #>> '{from,input}' as input, edge #>> '{from,node}' as source, of_graph->>'key' as target,
      exists (
        select from node_definitions as definition
        cross join lateral jsonb_array_elements(definition.inputs) as port
        where definition.id = (of_graph->>'node_definition_id')::bigint
          and port->>'name' = edge #>> '{to,port}' and port->>'cardinality' = 'many'
      ) as takes_all
    from jsonb_array_elements(run.graph->'edges') as edge
    join jsonb_array_elements(run.graph->'nodes') as of_graph
      on of_graph->>'key' = edge #>> '{to,node}' and of_graph->>'map' = 'true'
  ),
  lanes as (
    select target as node_key, input from edges where input is not null and not takes_all
    union
    select target, lanes.input from lanes join edges on source = lanes.node_key
  )
  select
    coalesce(array_agg(node_key order by position), '{}'),
    coalesce(array_agg(node_definition_id order by position), '{}'),
    coalesce(array_agg(exists (
      select from jsonb_array_elements(run.graph->'nodes') as of_graph
      where of_graph->>'key' = node_key and of_graph->>'map' = 'true'
    ) order by position), '{}'),
    coalesce(array_agg(input order by position), '{}')
  from run_nodes as node
  left join lanes using (node_key)
  where node.tenant_id = run.tenant_id and node.run_id = run.id
) as nodes;

-- Foreign keys cost more than all other work on these tables, and nothing deletes what they
-- name: runs, cogs, users and workers keep their rows. Those of bytes stay.
do $$
declare
  found record;
begin
  for found in
    select conrelid::regclass as place, conname
    from pg_constraint
    where contype = 'f' and confrelid <> 'objects'::regclass
      and conrelid in (
        'run_nodes'::regclass, 'node_runs'::regclass, 'ready_queue'::regclass, 'attempts'::regclass,
        'attempt_logs'::regclass, 'attempt_uploads'::regclass, 'node_run_outputs'::regclass,
        'run_files'::regclass, 'usage_events'::regclass
      )
  loop
    execute format('alter table %s drop constraint %I', found.place, found.conname);
  end loop;
end $$;

-- The id of a node run is the first one of its node and its lane, so it is known before its row.
create temporary table first_node_runs on commit drop as
select
  tenant_id, run_id, node_key, min(id) as first_id, count(*) as lanes,
  bool_and(id = first_of_node + coalesce(shard_index, 0)) as is_in_order
from (
  select *, min(id) over (partition by tenant_id, run_id, node_key) as first_of_node
  from node_runs
) as numbered
group by tenant_id, run_id, node_key;

create index on first_node_runs (tenant_id, run_id, node_key);
analyze first_node_runs;

-- Where the old ids are not in order they are given anew, beyond all others.
update first_node_runs
set first_id = moved.first_id
from (
  select
    tenant_id, run_id, node_key,
    (select max(id) from node_runs) + 1 + sum(lanes) over (order by tenant_id, run_id, node_key)
      - lanes as first_id
  from first_node_runs
  where not is_in_order
) as moved
where (first_node_runs.tenant_id, first_node_runs.run_id, first_node_runs.node_key)
  = (moved.tenant_id, moved.run_id, moved.node_key);

create temporary table moved_node_runs on commit drop as
select id as old_id, first_id + coalesce(shard_index, 0) as new_id
from node_runs
join first_node_runs using (tenant_id, run_id, node_key)
where not is_in_order;

create index on moved_node_runs (old_id);
analyze moved_node_runs;

alter table node_runs alter column id drop identity;
update node_runs set id = new_id from moved_node_runs where id = old_id;
update node_runs set reused_from_node_run_id = new_id
from moved_node_runs where reused_from_node_run_id = old_id;
update attempts set node_run_id = new_id from moved_node_runs where node_run_id = old_id;
update ready_queue set node_run_id = new_id from moved_node_runs where node_run_id = old_id;
update node_run_outputs set node_run_id = new_id from moved_node_runs where node_run_id = old_id;
update run_files set node_run_id = new_id from moved_node_runs where node_run_id = old_id;
update usage_events set node_run_id = new_id from moved_node_runs where node_run_id = old_id;

alter table workflow_runs
  add column graph_hash bytea,
  -- Nine counters for each node, in topological order: expected (-1 while its lanes are unknown),
  -- begun, running, success, failure, cancelled, skipped_by_condition, skipped_upstream, reused.
  add column node_counts int[],
  -- Of each node the id of its first node run; 0 while its lanes are unknown.
  add column first_ids bigint[],
  -- What became of the node runs that had not begun when the run was stopped. They have no rows.
  add column waiting_ended_as text check (waiting_ended_as in ('cancelled', 'run_aborted'));

update workflow_runs as run
set graph_hash = sha256(convert_to(run.graph::text, 'UTF8')),
    node_counts = array(
      select counter
      from run_nodes as node
      cross join lateral unnest(array[
        coalesce(expected, -1),
        (
          select count(*) from node_runs as begun
          where begun.tenant_id = node.tenant_id and begun.run_id = node.run_id
            and begun.node_key = node.node_key and begun.status <> 'pending'
        )::int,
        running, success, failure, cancelled, skipped_by_condition,
        skipped_upstream, reused
      ]) with ordinality as counters (counter, place)
      where node.tenant_id = run.tenant_id and node.run_id = run.id
      order by position, place
    ),
    first_ids = array(
      select coalesce(first_id, 0)
      from run_nodes as node
      left join first_node_runs using (tenant_id, run_id, node_key)
      where node.tenant_id = run.tenant_id and node.run_id = run.id
      order by position
    );

alter table workflow_runs
  alter column graph_hash set not null,
  alter column node_counts set not null,
  alter column first_ids set not null,
  drop column graph;

drop table run_nodes;

-- Node runs that something has happened to. Those before have no row: a run of ten thousand files
-- begins with what can start.
alter table node_runs rename to begun_node_runs;
delete from begun_node_runs where status = 'pending';
alter table begun_node_runs
  drop constraint node_runs_tenant_id_id_key,
  drop constraint node_runs_tenant_id_run_id_node_key_shard_index_key,
  drop constraint node_runs_status_check,
  add constraint begun_node_runs_status_check
    check (status in ('queued', 'running', 'success', 'failure', 'cancelled', 'skipped')),
  alter column status drop default,
  alter column memory_mb drop not null,
  drop column max_attempts,
  drop column cog_id,
  drop column fraction;
comment on column begun_node_runs.memory_mb is
  'Raised after a run out of memory; none where it is as the definition says.';
update begun_node_runs set memory_mb = null
from workflow_runs as run, run_graphs as graph, node_definitions as definition
where run.id = run_id and graph.tenant_id = run.tenant_id and graph.hash = run.graph_hash
  and definition.id = graph.definition_ids[array_position(graph.node_keys, node_key)]
  and (definition.resources->>'memory_mb')::int = memory_mb;
drop index node_runs_running;
alter index node_runs_pkey rename to begun_node_runs_pkey;

alter table attempts
  -- Which try of its node run it is, from 1.
  add column number int,
  -- Place of its node in topological order.
  add column position int,
  -- What the container last said of itself, 0 to 1.
  add column fraction real not null default 0;
update attempts
set number = numbered.number
from (
  select id, row_number() over (partition by node_run_id order by id) as number from attempts
) as numbered
where attempts.id = numbered.id;
update attempts
set position = array_position(graph.node_keys, node.node_key) - 1
from begun_node_runs as node, workflow_runs as run, run_graphs as graph
where node.id = attempts.node_run_id and run.id = node.run_id
  and graph.tenant_id = run.tenant_id and graph.hash = run.graph_hash;
alter table attempts
  alter column number set not null,
  alter column position set not null,
  alter column id drop identity,
  alter column lease_token drop default,
  drop constraint attempts_tenant_id_id_key;
drop index one_live_attempt_per_node_run;
drop index attempts_by_node_run;
create unique index attempts_by_node_run on attempts (node_run_id, number);
create index attempts_live_by_run on attempts (tenant_id, run_id)
  where status in ('leased', 'running');

-- Every row is changed a few times: with room on its page that costs no index an entry.
alter table begun_node_runs set (fillfactor = 50);
alter table workflow_runs set (fillfactor = 50);

-- The unique key begins with the same columns, and is the one that lanes need.
drop index run_files_by_run;

-- Blocks of ids: a process takes one and gives its ids out in memory. Block n holds the ids from
-- n * 262144, or of attempts from n * 65536.
create sequence node_run_id_blocks;
-- Those that have not begun have ids as well, without rows.
select setval('node_run_id_blocks', coalesce(max(first_id + lanes), 0)::bigint / 262144 + 1)
from first_node_runs;
create sequence attempt_id_blocks;
select setval('attempt_id_blocks', coalesce(max(id), 0) / 65536 + 1) from attempts;

-- Every tenant's queue is read from its front, for each kind of need apart: what does not fit a
-- worker is not in the way of what does.
drop index ready_queue_in_order;
alter table ready_queue
  add column needs text generated always as (
    cpu::text || ' ' || memory_mb::text || ' ' || gpu::text || ' ' || disk_mb::text
    || case when egress then ' egress' else '' end
  ) stored,
  -- Waits for its `not_before`.
  add column is_paused boolean not null default false;
update ready_queue set is_paused = true where not_before > now();
create index ready_queue_by_tenant on ready_queue (tenant_id, needs, band, run_id, node_run_id)
  where not is_paused;
create index ready_queue_paused on ready_queue (not_before) where is_paused;

-- How far each node of a run is.
create view run_nodes as
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
  graph.lane_inputs[at] as lane_input
from workflow_runs as run
join run_graphs as graph on graph.tenant_id = run.tenant_id and graph.hash = run.graph_hash
cross join lateral generate_subscripts(graph.node_keys, 1) as at;

-- All node runs of a run, begun or not. Ask it for one run.
create view node_runs as
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
left join begun_node_runs as begun on begun.id = node.first_id + lane
where node.first_id > 0;
