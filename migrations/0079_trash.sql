-- What is deleted stays in the trash, to be restored, until somebody or its time removes it for ever.
-- Then only its own row is marked, whatever lies below: a duty removes the rows in portions.
alter table cogs
  add column purged_at timestamptz,
  add constraint only_deleted_cogs_are_purged check (purged_at is null or deleted_at is not null);

-- The trash of a tenant, of an owner, and of the one who deleted, newest first.
create index cogs_in_trash on cogs (tenant_id, deleted_at, id)
  where deleted_at is not null and purged_at is null;
create index cogs_in_trash_by_owner on cogs (tenant_id, owner_id, deleted_at, id)
  where deleted_at is not null and purged_at is null;
create index cogs_in_trash_by_deleter on cogs (tenant_id, deleted_by, deleted_at, id)
  where deleted_at is not null and purged_at is null;
-- What has been in the trash for too long, of all tenants; and what is to be removed.
create index cogs_in_trash_by_age on cogs (deleted_at, id)
  where deleted_at is not null and purged_at is null;
create index cogs_purged on cogs (purged_at, id) where purged_at is not null;
-- All children of a folder, deleted ones included: the database asks for them before it removes a row.
-- Without the tenant, so that no other statement takes it for a key that begins with one.
create index cogs_by_parent on cogs (parent_id);

-- A run keeps the ids of folders that have been removed. With these keys each removal would read all runs.
alter table workflow_runs
  drop constraint workflow_runs_tenant_id_output_parent_id_fkey,
  drop constraint workflow_runs_tenant_id_output_folder_id_fkey;

-- Bytes that have lost a reference: a duty looks whether there is another, and removes them if not.
alter table objects
  add column released_at timestamptz(3),
  add constraint only_live_objects_are_released check (released_at is null or state = 'live');
create index objects_released on objects (released_at, id) where released_at is not null;

-- A run keeps the name and the checksum of bytes that have been removed.
alter table run_files
  alter column object_id drop not null,
  drop constraint run_files_tenant_id_object_id_fkey,
  add foreign key (tenant_id, object_id) references objects (tenant_id, id)
    on delete set null (object_id);
