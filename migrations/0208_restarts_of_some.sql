-- A restart of some node runs takes over the others as they ended: which ran again, and how many
-- failures were taken over, which do not stop a run that is to stop with its first failure.
alter table workflow_runs
  add column restart_only jsonb,
  add column restart_failures int;
