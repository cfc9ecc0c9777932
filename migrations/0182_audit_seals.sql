-- By which API key and in which request something was done; a log line and an answer have the same request id.
alter table audit_events
  add column key_id bigint,
  add column request_id uuid;

-- Events are sealed in blocks, some time after they were written: each block of a tenant has a keyed hash over its events
-- and over the block before. So a change of an old event shows, unless whoever makes it removes all blocks from there on
-- and has us seal the events again: that they were sealed late shows then.
create table audit_blocks (
  tenant_id    bigint not null references tenants,
  number       bigint not null check (number > 0),
  -- It has all events of the tenant after the first and up to the second id.
  after_id     bigint not null,
  last_id      bigint not null check (last_id > after_id),
  event_ids    bigint[],
  -- One after the other, 32 bytes each.
  event_hashes bytea,
  previous     bytea not null,
  seal         bytea not null,
  -- The events of this block and of those before were removed because of their age: that this was done by us.
  cut_seal     bytea,
  -- By the clock of the process that sealed it, and under its seal.
  sealed_at    timestamptz(3) not null,

  primary key (tenant_id, number),
  check ((cut_seal is null) = (event_ids is not null) and (cut_seal is null) = (event_hashes is not null))
);
create index audit_blocks_by_age on audit_blocks (sealed_at) where cut_seal is null;

-- Up to which event all are in blocks. One row.
create table audit_sealing (
  is_only   boolean primary key default true check (is_only),
  sealed_to bigint not null
);
insert into audit_sealing (sealed_to) values (0);
create function refuse_removal() returns trigger language plpgsql as $$
begin
  raise exception '% must keep its row', tg_table_name;
end $$;
create trigger audit_sealing_is_kept before delete on audit_sealing
  for each row execute function refuse_removal();
create trigger audit_sealing_is_not_emptied before truncate on audit_sealing
  for each statement execute function refuse_removal();

drop trigger audit_events_are_append_only on audit_events;
create trigger audit_events_are_append_only before update on audit_events
  for each row execute function refuse_change();
-- Only the duty that removes old ones says so, for its transaction.
create trigger audit_events_are_kept before delete on audit_events
  for each row when (coalesce(current_setting('cogworks.cuts_audit', true), '') <> 'on')
  execute function refuse_change();
create trigger audit_events_are_not_emptied before truncate on audit_events
  for each statement execute function refuse_change();

-- Blocks as well.
create trigger audit_blocks_are_kept before update or delete on audit_blocks
  for each row when (coalesce(current_setting('cogworks.cuts_audit', true), '') <> 'on')
  execute function refuse_change();
create trigger audit_blocks_are_not_emptied before truncate on audit_blocks
  for each statement execute function refuse_change();
