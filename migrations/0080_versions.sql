-- What a file held before. The current content is in the cog's own row, so that uploading and reading a
-- file cost nothing more; it moves here when another takes its place.
create table file_versions (
  tenant_id     bigint not null,
  cog_id        bigint not null,
  version       int not null check (version >= 1),
  object_id     bigint not null,
  mime_type     text not null check (length(mime_type) <= 255),
  stored_by     bigint not null,
  stored_at     timestamptz(3) not null,
  -- The version that was restored by this one.
  restored_from int,

  primary key (tenant_id, cog_id, version),
  foreign key (tenant_id, cog_id) references cogs (tenant_id, id) on delete cascade,
  foreign key (tenant_id, stored_by) references users (tenant_id, id),
  foreign key (tenant_id, object_id) references objects (tenant_id, id)
);
-- For the removal of objects.
create index file_versions_by_object on file_versions (object_id);

-- Of the current content. Null as long as it is the first: then its owner made it, with the cog.
alter table cogs
  add column stored_by bigint,
  add column stored_at timestamptz(3),
  add column restored_from int,
  add foreign key (tenant_id, stored_by) references users (tenant_id, id),
  add constraint only_later_contents_are_stored_anew check ((stored_by is null) = (stored_at is null));
