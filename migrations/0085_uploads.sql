-- Files that arrive in parts, or many at once: each is announced first, its bytes go directly to the storage,
-- and a confirmation makes the file. Which parts are stored only the storage knows.
create table uploads (
  tenant_id         bigint not null references tenants,
  id                bigint generated always as identity,
  -- Who announced it; nobody else may see or confirm it.
  user_id           bigint not null,
  -- The folder of a new file. Not a key: folders and files may be removed before uploads are forgotten.
  parent_id         bigint,
  -- The file that gets the bytes as a new version; of an upload that is done, the file that has them.
  cog_id            bigint,
  name              text collate "C" not null,
  mime_type         text not null check (length(mime_type) <= 255),
  file_size         bigint not null check (file_size >= 0),
  chunk_size        bigint not null check (chunk_size > 0),
  -- As declared by the client.
  checksum_sha256   text check (checksum_sha256 ~ '^[0-9a-f]{64}$'),
  -- As long as the storage may hold something of this upload.
  object_id         bigint,
  -- Null until the client has been told of it.
  storage_upload_id text,
  state             text not null default 'open'
    check (state in ('open', 'completing', 'done', 'aborted', 'expired', 'failed')),
  verified_bytes    bigint not null default 0,
  -- The confirmation that is under way, and until when it is taken to be alive.
  claim             uuid,
  claimed_until     timestamptz(3),
  created_at        timestamptz(3) not null default now(),
  -- When it ends, or of one that has ended: when it is forgotten.
  expires_at        timestamptz(3) not null,

  primary key (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, object_id) references objects (tenant_id, id),
  constraint uploads_have_a_place check (parent_id is not null or cog_id is not null),
  constraint open_uploads_have_an_object
    check (state not in ('open', 'completing') or object_id is not null),
  constraint done_uploads_are_files
    check (state <> 'done' or (object_id is null and cog_id is not null)),
  constraint only_claimed_uploads_complete
    check (state <> 'completing' or (claim is not null and claimed_until is not null))
);
create index uploads_open on uploads (tenant_id, user_id, id) where state in ('open', 'completing');
create index uploads_by_object on uploads (tenant_id, object_id) where object_id is not null;
create index uploads_by_expiry on uploads (expires_at, tenant_id, id);
