-- Lists of the triggers of a workflow, and of those that have a folder, as those pages of the dashboard show them.
create index triggers_by_workflow on triggers (tenant_id, workflow_id, id);
create index triggers_by_folder on triggers (tenant_id, folder_id, id) where folder_id is not null;
