-- What happened in each quarter of an hour (docs/decisions/0035-statistics-from-noted-changes.md). Offsets of all time zones are multiples of
-- a quarter, so days of any zone are sums of quarters.
create table statistics (
  tenant_id bigint not null references tenants,
  measure   text not null,
  bucket    timestamptz not null,
  -- What it is counted by, for example the id of a workflow.
  key       text not null,
  count     bigint not null,
  -- Milliseconds, thousandths of credits or bytes.
  amount    bigint not null,
  primary key (tenant_id, measure, bucket, key)
);
create index statistics_by_measure on statistics (measure, bucket);

-- Written by the transaction of what happened, and added to the sums above later. A reader adds both.
create table statistic_changes (
  tenant_id bigint not null,
  measure   text not null,
  bucket    timestamptz not null,
  key       text not null,
  count     bigint not null,
  amount    bigint not null
);
create index statistic_changes_by_tenant on statistic_changes (tenant_id, measure);

create function quarter_of(at timestamptz) returns timestamptz language sql stable
return date_bin('15 minutes', at, '2000-01-01 00:00:00Z');

-- Durations by their size, eight classes for each doubling: the middle of a class is less than 5 % off.
create function duration_class(ms bigint) returns int language sql immutable
return ceil(8 * log(2, greatest(ms, 1)::numeric))::int;

create function milliseconds_between(earlier timestamptz, later timestamptz) returns bigint language sql stable
return greatest(0, round(extract(epoch from later - earlier) * 1000))::bigint;

create function count_started_runs() returns trigger language plpgsql as $$
begin
  insert into statistic_changes (tenant_id, measure, bucket, key, count, amount)
  select added.tenant_id, what.measure, quarter_of(added.created_at), what.key, count(*), 0
  from added
  cross join lateral (
    values ('runs_started', added.workflow_id::text), ('runs_of_user', added.started_by::text),
      ('active_user', added.started_by::text)
  ) as what (measure, key)
  group by 1, 2, 3, 4;
  return null;
end $$;

create function count_ended_run() returns trigger language plpgsql as $$
declare
  ms bigint := milliseconds_between(coalesce(new.started_at, new.finished_at), new.finished_at);
begin
  insert into statistic_changes (tenant_id, measure, bucket, key, count, amount)
  values
    (new.tenant_id, 'runs_finished', quarter_of(new.finished_at),
     new.workflow_id || ':' || new.status, 1, ms),
    (new.tenant_id, 'run_durations', quarter_of(new.finished_at), duration_class(ms)::text, 1, ms);
  return null;
end $$;

-- What containers did: by node definition, by worker and by workflow.
create view container_uses as
select usage.tenant_id, usage.attempt_id, quarter_of(usage.created_at) as bucket,
  (usage.seconds * 1000)::bigint as ms, usage.millicredits, attempt.status, attempt.worker_id,
  run.workflow_id, graph.definition_ids[attempt.position + 1] as node_definition_id
from usage_events as usage
join attempts as attempt on attempt.id = usage.attempt_id
join workflow_runs as run on run.tenant_id = usage.tenant_id and run.id = usage.run_id
join run_graphs as graph on graph.tenant_id = run.tenant_id and graph.hash = run.graph_hash;

create function count_container_uses() returns trigger language plpgsql as $$
begin
  insert into statistic_changes (tenant_id, measure, bucket, key, count, amount)
  select one.tenant_id, what.measure, one.bucket, what.key, count(*), sum(what.amount)
  from added
  cross join lateral (
    select * from container_uses as uses
    where uses.tenant_id = added.tenant_id and uses.attempt_id = added.attempt_id
    offset 0
  ) as one
  cross join lateral (
    values
      ('attempts_of_node', one.node_definition_id || ':' || one.status, one.ms),
      ('attempts_of_worker', one.worker_id || ':' || one.status, one.ms),
      ('credits', one.workflow_id::text, one.millicredits)
  ) as what (measure, key, amount)
  group by 1, 2, 3, 4;
  return null;
end $$;

create function count_active_users() returns trigger language plpgsql as $$
begin
  insert into statistic_changes (tenant_id, measure, bucket, key, count, amount)
  select tenant_id, 'active_user', quarter_of(created_at), actor_id::text, count(*), 0
  from added
  where actor_id is not null
  group by 1, 2, 3, 4;
  return null;
end $$;

-- Nothing may happen between the sums and the triggers.
lock table workflow_runs, usage_events, audit_events in share row exclusive mode;

insert into statistics (tenant_id, measure, bucket, key, count, amount)
select tenant_id, measure, quarter_of(at), key, count(*), sum(ms)
from (
  select tenant_id, 'runs_started' as measure, created_at as at, workflow_id::text as key, 0 as ms from workflow_runs
  union all
  select tenant_id, 'runs_of_user', created_at, started_by::text, 0 from workflow_runs
  union all
  select tenant_id, 'active_user', created_at, started_by::text, 0 from workflow_runs
  union all
  select tenant_id, 'active_user', created_at, actor_id::text, 0 from audit_events where actor_id is not null
  union all
  select tenant_id, 'runs_finished', finished_at, workflow_id || ':' || status,
    milliseconds_between(coalesce(started_at, finished_at), finished_at)
  from workflow_runs where status not in ('queued', 'running')
  union all
  select tenant_id, 'run_durations', finished_at,
    duration_class(milliseconds_between(coalesce(started_at, finished_at), finished_at))::text,
    milliseconds_between(coalesce(started_at, finished_at), finished_at)
  from workflow_runs where status not in ('queued', 'running')
  union all
  select tenant_id, 'attempts_of_node', bucket, node_definition_id || ':' || status, ms from container_uses
  union all
  select tenant_id, 'attempts_of_worker', bucket, worker_id || ':' || status, ms from container_uses
  union all
  select tenant_id, 'credits', bucket, workflow_id::text, millicredits from container_uses
  union all
  select tenant_id, 'stored_bytes', now(), '', used_bytes from storage_usage
) as fact
where key is not null and at is not null
group by 1, 2, 3, 4;

create trigger started_runs_are_counted after insert on workflow_runs
  referencing new table as added for each statement execute function count_started_runs();
create trigger ended_runs_are_counted after update on workflow_runs for each row
  when (old.status in ('queued', 'running') and new.status not in ('queued', 'running'))
  execute function count_ended_run();
create trigger container_uses_are_counted after insert on usage_events
  referencing new table as added for each statement execute function count_container_uses();
create trigger active_users_are_counted after insert on audit_events
  referencing new table as added for each statement execute function count_active_users();
