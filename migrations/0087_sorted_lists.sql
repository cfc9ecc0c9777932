-- A page of a folder by size or by time is read along an index, however many files are in it. The
-- size has to be the file's own for that; it is always that of its bytes.
alter table cogs add column size_bytes bigint check (size_bytes >= 0);

update cogs
set size_bytes = objects.size_bytes
from objects
where objects.tenant_id = cogs.tenant_id and objects.id = cogs.object_id;

alter table cogs
  add constraint files_have_a_size check ((cog_type = 'file') = (size_bytes is not null));

-- Folders have no size and come before empty files.
create index cogs_in_folder_by_size on cogs (tenant_id, parent_id, coalesce(size_bytes, -1), id)
  where deleted_at is null;
create index cogs_in_folder_by_creation on cogs (tenant_id, parent_id, created_at, id)
  where deleted_at is null;
create index cogs_in_folder_by_change on cogs (tenant_id, parent_id, updated_at, id)
  where deleted_at is null;
