-- What is in a folder that has come arrives in portions: those after this place, in the order of their creation.
alter table arrivals
  add column after_created_at timestamptz(3),
  add column after_id bigint;

-- New folders are empty: what comes into them arrives by itself, and would arrive once more for each folder above it.
create or replace function note_new_cogs() returns trigger language plpgsql as $$
begin
  insert into arrivals (tenant_id, cog_id)
  select added.tenant_id, added.id
  from added
  where added.cog_type = 'file' and exists (
    select from triggers
    where triggers.tenant_id = added.tenant_id and triggers.type = 'folder' and triggers.enabled
  );
  return null;
end $$;
