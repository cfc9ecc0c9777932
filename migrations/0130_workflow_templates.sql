-- Graphs that a workflow can begin with: of a tenant, or of the platform for all.
create table workflow_templates (
  id          bigint generated always as identity primary key,
  -- Null: for all tenants.
  tenant_id   bigint references tenants,
  name        text not null check (length(name) between 1 and 200),
  description text not null check (length(description) <= 10000),
  category    text not null check (length(category) <= 100),
  graph       jsonb not null,
  graph_hash  text not null,
  created_by  bigint references users,
  created_at  timestamptz(3) not null default now()
);
create index workflow_templates_by_tenant on workflow_templates (tenant_id, id);
