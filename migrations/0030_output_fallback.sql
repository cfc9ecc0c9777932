-- Why a run's outputs are in its starter's own results folder although another was given: the
-- starter may not add to that one any more, or it is gone.
alter table workflow_runs
  add column output_fallback text check (output_fallback in ('no_right', 'folder_gone'));
