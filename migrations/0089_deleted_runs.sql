-- When the intermediate results of a deleted run were removed, by a duty, in portions.
alter table workflow_runs add column outputs_removed_at timestamptz(3);
create index workflow_runs_to_empty on workflow_runs (deleted_at, id)
  where deleted_at is not null and outputs_removed_at is null;
