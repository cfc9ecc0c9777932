-- Files and folders. Both are one record, so that a tree query, a permission and a move work
-- alike for either. There is no stored path: moving, renaming and deleting are one row,
-- whatever lies below.
create extension if not exists pg_trgm;

create table cogs (
  id         bigint generated always as identity primary key,
  tenant_id  bigint not null references tenants,
  parent_id  bigint,
  -- By code point, the same order on every database whatever its locale.
  name       text collate "C" not null,
  cog_type   text not null check (cog_type in ('master_folder', 'asset_folder', 'file')),
  -- Who made it; for the root the tenant's first admin.
  owner_id   bigint not null,
  object_id  bigint,
  mime_type  text check (length(mime_type) <= 255),
  version    int check (version >= 1),
  -- At most so many levels of folders lie below. An upper bound, so that the limit of depth can
  -- be checked on a move without walking down: raised when something is put in, never lowered.
  levels_below int not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- Set on the deleted cog alone; what lies below is hidden by the walk up to it.
  deleted_at timestamptz(3),
  deleted_by bigint,

  unique (tenant_id, id),
  -- A cog, its parent, its people and its bytes share a tenant; anything else is refused.
  foreign key (tenant_id, parent_id) references cogs (tenant_id, id),
  foreign key (tenant_id, owner_id) references users (tenant_id, id),
  foreign key (tenant_id, deleted_by) references users (tenant_id, id),
  foreign key (tenant_id, object_id) references objects (tenant_id, id),
  constraint only_the_root_has_no_parent check ((parent_id is null) = (cog_type = 'master_folder')),
  constraint the_root_is_never_deleted check (cog_type <> 'master_folder' or deleted_at is null),
  constraint nothing_is_its_own_parent check (parent_id <> id),
  constraint files_have_bytes check ((cog_type = 'file') = (object_id is not null)),
  check ((cog_type = 'file') = (version is not null)),
  check ((cog_type = 'file') = (mime_type is not null)),
  constraint cog_names check (
    octet_length(name) between 1 and 255
    and name not in ('.', '..')
    and name !~ '[\x01-\x1f\x7f/]'
    and name is nfc normalized
  )
);

create unique index cogs_one_root_per_tenant on cogs (tenant_id) where cog_type = 'master_folder';

-- Deleted cogs give their name back. Lists by name read along it.
create unique index cogs_name_unique_among_siblings
  on cogs (tenant_id, parent_id, name) where deleted_at is null;

-- For the foreign key, and later for emptying a deleted folder.
create index cogs_by_parent on cogs (tenant_id, parent_id, id);
create index cogs_by_object on cogs (tenant_id, object_id) where object_id is not null;
create index cogs_deleted on cogs (tenant_id, deleted_at, id) where deleted_at is not null;
create index cogs_by_part_of_name on cogs using gin (name gin_trgm_ops) where deleted_at is null;
