-- Keys that sign our access tokens. The private half is sealed; a retired key still verifies
-- until the last token it signed has expired.
create table signing_keys (
  kid            text primary key,
  public_jwk     jsonb not null,
  sealed_private bytea not null,
  created_at     timestamptz(3) not null default now(),
  retired_at     timestamptz(3)
);

-- A key inherits the rights of the user who made it. Only a hash of its secret is kept.
create table api_keys (
  id           bigint generated always as identity primary key,
  tenant_id    bigint not null,
  user_id      bigint not null,
  description  text not null check (length(description) <= 500),
  public_id    text not null,
  secret_hash  bytea not null,
  created_at   timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  expires_at   timestamptz(3),
  revoked_at   timestamptz(3),

  unique (tenant_id, id),
  constraint api_keys_public_id_unique unique (public_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index api_keys_by_user on api_keys (tenant_id, user_id, id);
