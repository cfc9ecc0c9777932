-- Container images of tenants (docs/registry.md): blobs are stored bytes by their digest, manifests name blobs, and
-- tags name manifests. A manifest's own bytes are a blob as well.
create table registry_blobs (
  tenant_id    bigint not null references tenants,
  digest       text collate "C" not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  object_id    bigint not null,
  size_bytes   bigint not null check (size_bytes >= 0),
  created_at   timestamptz(3) not null default now(),
  -- Since when nothing may refer to it: engines find out whether something does, some time later.
  unused_since timestamptz(3),

  primary key (tenant_id, digest),
  foreign key (tenant_id, object_id) references objects (tenant_id, id)
);
-- For the removal of objects.
create index registry_blobs_by_object on registry_blobs (tenant_id, object_id);
create index registry_blobs_to_judge on registry_blobs (unused_since, tenant_id, digest)
  where unused_since is not null;

create table registry_manifests (
  tenant_id     bigint not null,
  -- With the namespace of the tenant: 't7/tools/resize'.
  repository    text collate "C" not null check (length(repository) between 1 and 200),
  digest        text collate "C" not null,
  media_type    text not null check (length(media_type) <= 255),
  artifact_type text check (length(artifact_type) <= 255),
  -- The digest of the manifest that this one is about. That need not exist.
  subject       text collate "C",
  annotations   jsonb,
  created_by    bigint not null,
  created_at    timestamptz(3) not null default now(),

  primary key (tenant_id, repository, digest),
  foreign key (tenant_id, digest) references registry_blobs (tenant_id, digest),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
create index registry_manifests_by_blob on registry_manifests (tenant_id, digest);
create index registry_manifests_by_subject on registry_manifests (tenant_id, repository, subject, digest)
  where subject is not null;

-- What a manifest consists of: its config, its layers, or other manifests.
create table registry_references (
  tenant_id  bigint not null,
  repository text collate "C" not null,
  digest     text collate "C" not null,
  refers_to  text collate "C" not null,

  primary key (tenant_id, repository, digest, refers_to),
  foreign key (tenant_id, repository, digest)
    references registry_manifests (tenant_id, repository, digest) on delete cascade,
  foreign key (tenant_id, refers_to) references registry_blobs (tenant_id, digest)
);
create index registry_references_by_blob on registry_references (tenant_id, refers_to);

create table registry_tags (
  tenant_id  bigint not null,
  repository text collate "C" not null,
  tag        text collate "C" not null check (tag ~ '^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$'),
  digest     text collate "C" not null,
  -- Who made the tag, and may move and delete it.
  created_by bigint not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),

  primary key (tenant_id, repository, tag),
  foreign key (tenant_id, repository, digest)
    references registry_manifests (tenant_id, repository, digest) on delete cascade,
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
create index registry_tags_by_manifest on registry_tags (tenant_id, repository, digest);

-- Blobs that are arriving in one or more pieces, each a pending object. Objects that expire first are collected, so
-- these are no references.
create table registry_uploads (
  tenant_id  bigint not null,
  id         uuid not null default gen_random_uuid(),
  repository text collate "C" not null check (length(repository) between 1 and 200),
  user_id    bigint not null,
  size_bytes bigint not null default 0 check (size_bytes >= 0),
  object_ids bigint[] not null default '{}',
  expires_at timestamptz(3) not null,

  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index registry_uploads_by_user on registry_uploads (tenant_id, user_id);
create index registry_uploads_by_expiry on registry_uploads (expires_at);
