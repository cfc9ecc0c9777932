-- Containerised capabilities. A definition never changes: a new idea is a new version of it.
create table node_definitions (
  id              bigint generated always as identity primary key,
  -- Nobody's: every tenant may use it.
  tenant_id       bigint references tenants,
  name            text not null check (length(name) between 1 and 100),
  version         text not null check (length(version) between 1 and 50),
  title           text not null,
  description     text not null default '',
  category        text not null default '',
  image           text not null,
  digest          text,
  command         jsonb not null,
  env             jsonb not null default '{}',
  inputs          jsonb not null default '[]',
  outputs         jsonb not null,
  params          jsonb not null default '{}',
  resources       jsonb not null,
  timeout_seconds int not null check (timeout_seconds > 0),
  retry           jsonb not null,
  network         text not null default 'none' check (network in ('none', 'egress')),
  cache           jsonb not null,
  scope           text generated always as (case when tenant_id is null then 'platform' else 'tenant' end) stored,
  created_by      bigint references users,
  created_at      timestamptz(3) not null default now(),

  constraint node_definitions_version_unique unique nulls not distinct (tenant_id, name, version)
);

create trigger node_definitions_never_change
  before update on node_definitions
  for each row execute function refuse_change();
