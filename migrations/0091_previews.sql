-- Small pictures of stored bytes. Bound to the object, so copies and restored versions share them; removed
-- with it. A row is claimed by the process that makes the preview, and remembers why there is none.
create table previews (
  tenant_id         bigint not null,
  object_id         bigint not null,
  -- The longest side in pixels.
  size              int not null check (size in (256, 1024)),
  preview_object_id bigint,
  reason            text check (length(reason) <= 50),
  claim             uuid,
  claimed_until     timestamptz(3),
  -- How often it was begun.
  tries             int not null default 1,
  failed_at         timestamptz(3),

  primary key (tenant_id, object_id, size),
  foreign key (tenant_id, object_id) references objects (tenant_id, id),
  foreign key (tenant_id, preview_object_id) references objects (tenant_id, id),
  constraint previews_are_claimed_made_or_failed
    check (num_nonnulls(claim, preview_object_id, reason) = 1),
  check ((claim is null) = (claimed_until is null)),
  check ((reason is null) = (failed_at is null))
);
-- For the removal of objects.
create index previews_by_preview on previews (tenant_id, preview_object_id)
  where preview_object_id is not null;
