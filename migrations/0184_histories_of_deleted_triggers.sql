-- A trigger may have millions of firings, deliveries and files. They were deleted with it in one statement, which then
-- took too long; now an engine removes them afterwards, a portion at a time. Its secrets and
-- the messages of its last day still go with it.
create table deleted_triggers (
  id         bigint primary key,
  tenant_id  bigint not null references tenants,
  deleted_at timestamptz(3) not null default now()
);

create function note_deleted_trigger() returns trigger language plpgsql as $$
begin
  insert into deleted_triggers (id, tenant_id) values (old.id, old.tenant_id);
  return null;
end $$;
create trigger deleted_triggers_are_noted
  after delete on triggers for each row execute function note_deleted_trigger();

alter table firings drop constraint firings_tenant_id_trigger_id_fkey;
alter table deliveries drop constraint deliveries_tenant_id_trigger_id_fkey;
alter table trigger_files drop constraint trigger_files_tenant_id_trigger_id_fkey;
