-- The folder of all runs' results is one for the tenant: everybody makes folders of their own in
-- it, and sees in it what a grant shows. Its name in the root is kept for it.
alter table cogs
  add column purpose text check (purpose = 'workflow_outputs'),
  add constraint only_a_lasting_folder_has_a_purpose
    check (purpose is null or (cog_type = 'asset_folder' and deleted_at is null));

create unique index cogs_one_of_each_purpose on cogs (tenant_id, purpose) where purpose is not null;

-- Before, the first member with a run owned it, and those after them got numbered ones; these
-- stay as they are. It becomes the shared one: who has access by it keeps that on each thing in
-- it, and nobody gets any to what others will put there.
create temporary table outputs_folders on commit drop as
select folder.tenant_id, folder.id, root.owner_id
from cogs as folder
join cogs as root
  on root.tenant_id = folder.tenant_id and root.id = folder.parent_id
  and root.cog_type = 'master_folder'
where folder.name = 'Workflow outputs'
  and folder.cog_type = 'asset_folder'
  and folder.deleted_at is null;

insert into permissions
  (tenant_id, cog_id, user_id, level, can_upload, can_share, can_delete, expires_at, created_by,
   created_at, updated_at)
select
  child.tenant_id, child.id, permissions.user_id, permissions.level, permissions.can_upload,
  permissions.can_share, permissions.can_delete, permissions.expires_at, permissions.created_by,
  permissions.created_at, permissions.updated_at
from outputs_folders as folder
join cogs as child on child.tenant_id = folder.tenant_id and child.parent_id = folder.id
join permissions on permissions.tenant_id = folder.tenant_id and permissions.cog_id = folder.id
where child.deleted_at is null
  and (permissions.expires_at is null or permissions.expires_at > now())
on conflict on constraint permissions_one_per_cog_and_user do update
-- A grant on the thing itself decides, but one that has expired decides nothing.
set level = excluded.level, can_upload = excluded.can_upload, can_share = excluded.can_share,
    can_delete = excluded.can_delete, expires_at = excluded.expires_at,
    updated_at = excluded.updated_at
where permissions.expires_at <= now();

delete from permissions
using outputs_folders as folder
where permissions.tenant_id = folder.tenant_id and permissions.cog_id = folder.id;

update cogs
set purpose = 'workflow_outputs', owner_id = folder.owner_id
from outputs_folders as folder
where cogs.tenant_id = folder.tenant_id and cogs.id = folder.id;

-- A file of that name in the root makes room.
update cogs
set name = 'Workflow outputs (file ' || cogs.id || ')'
from cogs as root
where root.tenant_id = cogs.tenant_id and root.id = cogs.parent_id
  and root.cog_type = 'master_folder'
  and cogs.name = 'Workflow outputs' and cogs.cog_type = 'file' and cogs.deleted_at is null;
