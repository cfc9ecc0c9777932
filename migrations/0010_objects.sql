-- Stored bytes. An object is recorded before its first byte is written, so nothing in storage
-- is ever unknown here: it becomes live in the transaction that makes what refers to it, and
-- whatever does not is collected.
create table objects (
  id              bigint generated always as identity primary key,
  tenant_id       bigint not null references tenants,
  -- Opaque: '<tenant id>/<uuid>'. Never a user's words.
  key             text not null check (key ~ '^[0-9]+/[0-9a-f-]{36}$'),
  state           text not null default 'pending' check (state in ('pending', 'live', 'dead')),
  -- Of SHA-256, hexadecimal. Both are known once the bytes are stored, and never change.
  size_bytes      bigint check (size_bytes >= 0),
  checksum_sha256 text check (checksum_sha256 ~ '^[0-9a-f]{64}$'),
  expires_at      timestamptz(3),
  created_at      timestamptz(3) not null default now(),

  unique (tenant_id, id),
  constraint objects_key_unique unique (key),
  constraint only_pending_objects_expire check ((state = 'pending') = (expires_at is not null)),
  constraint live_objects_are_stored check (state <> 'live' or size_bytes is not null),
  check ((size_bytes is null) = (checksum_sha256 is null))
);

-- What the collector looks for; live objects, nearly all, are not in it.
create index objects_to_collect on objects (expires_at, id) where state <> 'live';
