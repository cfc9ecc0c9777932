-- Secrets: written by tenant admins, used by members, read by nobody. The value is sealed under
-- the tenant's key; `server` alone is readable, because images are matched to it.
create table secrets (
  id           bigint generated always as identity primary key,
  tenant_id    bigint not null references tenants,
  name         text not null check (name ~ '^[A-Z][A-Z0-9_]{0,63}$'),
  kind         text not null check (kind in ('generic', 'registry')),
  server       text check ((server is not null) = (kind = 'registry')),
  sealed_value bytea not null,
  version      int not null default 1,
  created_by   bigint not null,
  created_at   timestamptz(3) not null default now(),
  updated_at   timestamptz(3) not null default now(),
  last_used_at timestamptz(3),

  unique (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  constraint secrets_name_unique_per_tenant unique (tenant_id, name)
);
create index secrets_by_server on secrets (tenant_id, server) where kind = 'registry';
