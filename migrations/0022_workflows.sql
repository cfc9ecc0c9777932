-- Workflows and their versions. A draft is edited; what is published never changes again.
create table workflows (
  id                   bigint generated always as identity primary key,
  tenant_id            bigint not null references tenants,
  name                 text not null check (length(name) between 1 and 200),
  description          text,
  latest_version_id    bigint,
  published_version_id bigint,
  created_by           bigint not null,
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  deleted_at           timestamptz(3),

  unique (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);

create table workflow_versions (
  id             bigint generated always as identity primary key,
  tenant_id      bigint not null,
  workflow_id    bigint not null,
  version_number int not null,
  state          text not null default 'draft' check (state in ('draft', 'published', 'archived')),
  graph          jsonb not null,
  graph_hash     text not null,
  -- Counts the edits of a draft; two people who edit at once find out.
  revision       int not null default 1,
  created_by     bigint not null,
  created_at     timestamptz(3) not null default now(),
  published_at   timestamptz(3),

  unique (tenant_id, id),
  unique (tenant_id, workflow_id, version_number),
  foreign key (tenant_id, workflow_id) references workflows (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);

alter table workflows
  add foreign key (tenant_id, latest_version_id) references workflow_versions (tenant_id, id),
  add foreign key (tenant_id, published_version_id) references workflow_versions (tenant_id, id);

create function refuse_graph_change() returns trigger language plpgsql as $$
begin
  if old.state <> 'draft' and (new.graph is distinct from old.graph or new.state = 'draft') then
    raise exception 'a published graph never changes';
  end if;
  return new;
end $$;

create trigger published_graphs_never_change
  before update on workflow_versions
  for each row execute function refuse_graph_change();
