-- The node that a run ends with, where it is only a part of its version. The run's graph is that part.
alter table workflow_runs add column until text;
