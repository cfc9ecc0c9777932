-- A run whose nodes are all skipped or taken over ends as it begins: it is inserted as ended, which the trigger of migration 0120
-- did not count.
create trigger runs_that_end_at_once_are_counted after insert on workflow_runs for each row
  when (new.status not in ('queued', 'running'))
  execute function count_ended_run();

-- Nothing may end between the counting and the trigger.
lock table workflow_runs in share row exclusive mode;

-- What is missing, compared with the runs. Rows of runs stay when users delete them.
insert into statistic_changes (tenant_id, measure, bucket, key, count, amount)
with ended as (
  select tenant_id, workflow_id, status, quarter_of(finished_at) as bucket,
    milliseconds_between(coalesce(started_at, finished_at), finished_at) as ms
  from workflow_runs
  where status not in ('queued', 'running') and finished_at is not null
),
wanted as (
  select tenant_id, 'runs_finished' as measure, bucket, workflow_id || ':' || status as key,
    count(*) as count, sum(ms) as amount
  from ended
  group by 1, 2, 3, 4
  union all
  -- Runs that ended as they began took no time: they are in the first class.
  select tenant_id, 'run_durations', bucket, '0', count(*), sum(ms)
  from ended
  where ms <= 1
  group by 1, 2, 3, 4
),
noted as (
  select tenant_id, measure, bucket, key, sum(count) as count, sum(amount) as amount
  from (
    select * from statistics where measure in ('runs_finished', 'run_durations')
    union all
    select * from statistic_changes where measure in ('runs_finished', 'run_durations')
  ) as each
  group by 1, 2, 3, 4
)
select tenant_id, measure, bucket, key,
  wanted.count - coalesce(noted.count, 0), wanted.amount - coalesce(noted.amount, 0)
from wanted
left join noted using (tenant_id, measure, bucket, key)
where wanted.count > coalesce(noted.count, 0);

-- Engines of releases before migration 0120 that were still running then summed up stored bytes without noting them here.
insert into statistic_changes (tenant_id, measure, bucket, key, count, amount)
select tenant_id, 'stored_bytes', quarter_of(now()), '', 0, coalesce(used, 0) - coalesce(noted, 0)
from (select tenant_id, used_bytes as used from storage_usage) as stored
full join (
  select tenant_id, sum(amount) as noted
  from (
    select * from statistics where measure = 'stored_bytes'
    union all
    select * from statistic_changes where measure = 'stored_bytes'
  ) as each
  group by tenant_id
) as counted using (tenant_id)
where coalesce(used, 0) <> coalesce(noted, 0);
