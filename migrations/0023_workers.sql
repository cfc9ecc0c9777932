-- Machines that run containers. A worker speaks HTTP with a token of its own; it never sees the
-- database. One without a tenant is the platform's and runs anybody's work.
create table enrollment_tokens (
  id         bigint generated always as identity primary key,
  tenant_id  bigint references tenants,
  token_hash bytea not null unique,
  created_by bigint references users,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  used_at    timestamptz(3)
);

create table workers (
  id                bigint generated always as identity primary key,
  tenant_id         bigint references tenants,
  name              text not null check (length(name) between 1 and 200),
  token_hash        bytea not null unique,
  labels            jsonb not null default '[]',
  capacity          jsonb not null,
  in_use            jsonb not null default '{}',
  version           text not null default '',
  desired_state     text not null default 'active' check (desired_state in ('active', 'draining', 'disabled')),
  last_heartbeat_at timestamptz(3),
  created_at        timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);
create index workers_by_tenant on workers (tenant_id, id) where deleted_at is null;
