-- Every tenant has a registry secret for the installation's own registry (docs/registry.md) from the start. It has no
-- value: credentials are made with each work order. `server` is unknown until a server has listened for the first
-- time, and follows BASE_URL.
create table own_registry (
  id     int primary key default 1 check (id = 1),
  server text
);
insert into own_registry default values;

alter table secrets
  add column is_managed boolean not null default false,
  alter column sealed_value drop not null,
  alter column created_by drop not null,
  drop constraint secrets_check,
  add constraint secrets_check check (is_managed or (server is not null) = (kind = 'registry')),
  add constraint secrets_managed_check check (
    case
      when is_managed then kind = 'registry' and sealed_value is null and created_by is null
      else sealed_value is not null and created_by is not null
    end
  );
create unique index secrets_managed_once_per_tenant on secrets (tenant_id) where is_managed;

create function add_managed_secret() returns trigger language plpgsql as $$
begin
  insert into secrets (tenant_id, name, kind, server, is_managed)
  select new.id, 'COGWORKS_REGISTRY', 'registry', server, true
  from own_registry
  -- If it is being changed, that change comes first, or finds this secret.
  for share;
  return null;
end $$;
create trigger tenants_have_a_managed_secret
  after insert on tenants
  for each row execute function add_managed_secret();

-- A tenant may have used the name.
insert into secrets (tenant_id, name, kind, is_managed)
select
  tenants.id,
  case when secrets.id is null then 'COGWORKS_REGISTRY' else 'COGWORKS_REGISTRY_' || tenants.id end,
  'registry',
  true
from tenants
left join secrets on secrets.tenant_id = tenants.id and secrets.name = 'COGWORKS_REGISTRY';
