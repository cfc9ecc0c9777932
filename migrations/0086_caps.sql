-- Caps on how many node runs of a workflow, and of a tenant, are leased at the same time; none by
-- default. The queue and live attempts name the workflow, so that what runs under a cap is counted
-- along an index, and the queue of one workflow does not hide that of another.
alter table workflows
  add column max_running int
    constraint workflows_max_running_check check (max_running between 1 and 1000000);
alter table tenants
  add column max_running_node_runs int
    constraint tenants_max_running_node_runs_check check (max_running_node_runs between 1 and 1000000);

alter table ready_queue add column workflow_id bigint;
update ready_queue
set workflow_id = run.workflow_id
from workflow_runs as run
where run.id = run_id;
-- Null in attempts that had ended before.
alter table attempts add column workflow_id bigint;
update attempts
set workflow_id = run.workflow_id
from workflow_runs as run
where run.id = run_id and attempts.status in ('leased', 'running');

-- Servers of the previous release do not name the workflow.
create function name_workflow_of_run() returns trigger language plpgsql as $$
begin
  new.workflow_id := (select workflow_id from workflow_runs where id = new.run_id);
  return new;
end $$;
create trigger queued_node_runs_name_their_workflow
  before insert on ready_queue
  for each row when (new.workflow_id is null)
  execute function name_workflow_of_run();
create trigger attempts_name_their_workflow
  before insert on attempts
  for each row when (new.workflow_id is null)
  execute function name_workflow_of_run();

drop index ready_queue_by_tenant;
create index ready_queue_by_tenant
  on ready_queue (tenant_id, needs, workflow_id, band, run_id, node_run_id)
  where not is_paused;
alter table ready_queue alter column workflow_id set not null;

drop index attempts_live_by_run;
create index attempts_live_by_run on attempts (tenant_id, workflow_id, run_id)
  where status in ('leased', 'running');

-- How many more node runs of a tenant, or of one of its workflows, may be leased under a cap; the
-- workflow is 0 for the cap of the tenant. Null without a cap; -1 if another transaction is leasing
-- under it. Until the end of the transaction no other may lease under this cap. It is locked first
-- and counted then: each statement of a volatile function sees what was committed before it. Caps
-- share 256 locks, because the table of locks is small, and a queue may hold work of many workflows.
create function open_slots(of_tenant bigint, of_workflow bigint, cap int) returns int
language plpgsql volatile strict as $$
begin
  if not pg_try_advisory_xact_lock(
    7246012, (hashtextextended(of_tenant || ' ' || of_workflow, 0) & 255)::int
  ) then
    return -1;
  end if;
  if of_workflow = 0 then
    return greatest(0, cap - (
      select count(*) from attempts
      where tenant_id = of_tenant and status in ('leased', 'running')
    ));
  end if;
  return greatest(0, cap - (
    select count(*) from attempts
    where tenant_id = of_tenant and workflow_id = of_workflow and status in ('leased', 'running')
  ));
end $$;

-- Work that waited for a cap may start once the cap is changed.
create function tell_of_changed_cap() returns trigger language plpgsql as $$
begin
  perform tell('work', '');
  return null;
end $$;
create trigger changed_caps_of_workflows_are_told_of
  after update on workflows
  for each row when (old.max_running is distinct from new.max_running)
  execute function tell_of_changed_cap();
create trigger changed_caps_of_tenants_are_told_of
  after update on tenants
  for each row when (old.max_running_node_runs is distinct from new.max_running_node_runs)
  execute function tell_of_changed_cap();
