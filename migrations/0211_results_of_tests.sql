-- Results of a test are files in a folder that is in no other: no list, no search and no network
-- drive leads to it. A duty removes it, and the bytes between the nodes, a day after the run ended.
alter table workflow_runs
  add column keep_results boolean not null default true,
  add column results_removed_at timestamptz(3),
  add constraint only_results_not_to_keep_are_removed
    check (results_removed_at is null or not keep_results);

create index workflow_runs_with_test_results on workflow_runs (finished_at, id)
  where not keep_results and results_removed_at is null;

-- Runs whose outputs between nodes are to be removed: also those of tests.
drop index workflow_runs_to_empty;
create index workflow_runs_to_empty on workflow_runs (coalesce(deleted_at, results_removed_at), id)
  where outputs_removed_at is null and (deleted_at is not null or results_removed_at is not null);

-- A test keeps the names, sizes and checksums of bytes that have been removed.
alter table node_run_outputs alter column object_id drop not null;

alter table cogs
  drop constraint cogs_purpose_check,
  drop constraint only_a_lasting_folder_has_a_purpose,
  drop constraint only_the_root_has_no_parent,
  add constraint cogs_purpose_check check (purpose in ('workflow_outputs', 'test_results')),
  add constraint only_a_lasting_folder_has_a_purpose check (
    purpose is null
    or (cog_type = 'asset_folder' and (deleted_at is null or purpose = 'test_results'))
  ),
  add constraint only_roots_have_no_parent check (
    (parent_id is null)
    = (cog_type = 'master_folder' or purpose is not distinct from 'test_results')
  );

drop index cogs_one_of_each_purpose;
create unique index cogs_one_outputs_folder on cogs (tenant_id)
  where purpose = 'workflow_outputs';
