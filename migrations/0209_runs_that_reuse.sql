-- The run whose results a start took over where they are the same; a restart has its own column.
alter table workflow_runs add column reuse_from_run_id bigint;
