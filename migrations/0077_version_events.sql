-- A changed version of a workflow is told to those who watch the tenant: an event of no run.
alter table run_events alter column run_id drop not null;
