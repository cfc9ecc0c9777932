-- The bytes that a tenant stores and may store. Whatever refers to an object, it counts once: its size while it
-- is live, and while it is pending what its upload may still bring.
alter table objects
  add column reserved_bytes bigint not null default 0
    constraint objects_reserved_bytes_check check (reserved_bytes >= 0);
-- Null: no limit.
alter table tenants
  add column storage_limit_bytes bigint
    constraint tenants_storage_limit_bytes_check check (storage_limit_bytes >= 0);

-- A change of objects is noted beside the sums, not in them, so that transactions of one tenant neither wait for
-- each other nor deadlock; engines add the changes to the sums. In any one statement, what a tenant stores is its
-- sums and its changes together.
create table storage_usage (
  tenant_id      bigint primary key references tenants,
  used_bytes     bigint not null,
  reserved_bytes bigint not null
);
create table storage_changes (
  tenant_id      bigint not null,
  used_bytes     bigint not null,
  reserved_bytes bigint not null
);
create index storage_changes_by_tenant on storage_changes (tenant_id);

create function used_bytes_of(object objects) returns bigint language sql immutable
return case when object.state = 'live' then object.size_bytes else 0 end;

create function reserved_bytes_of(object objects) returns bigint language sql immutable
return case
  when object.state = 'pending' then greatest(object.reserved_bytes, object.size_bytes)
  else 0
end;

-- By the database itself, so that no statement can forget a change or note it twice.
create function note_stored_bytes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into storage_changes (tenant_id, used_bytes, reserved_bytes)
    select tenant_id, used, reserved
    from (
      select tenant_id, sum(used_bytes_of(new_objects)) as used,
             sum(reserved_bytes_of(new_objects)) as reserved
      from new_objects
      group by tenant_id
    ) as change
    where used <> 0 or reserved <> 0;
  elsif tg_op = 'DELETE' then
    insert into storage_changes (tenant_id, used_bytes, reserved_bytes)
    select tenant_id, -used, -reserved
    from (
      select tenant_id, sum(used_bytes_of(old_objects)) as used,
             sum(reserved_bytes_of(old_objects)) as reserved
      from old_objects
      group by tenant_id
    ) as change
    where used <> 0 or reserved <> 0;
  else
    insert into storage_changes (tenant_id, used_bytes, reserved_bytes)
    select tenant_id, sum(used), sum(reserved)
    from (
      select tenant_id, used_bytes_of(new_objects) as used,
             reserved_bytes_of(new_objects) as reserved
      from new_objects
      union all
      select tenant_id, -used_bytes_of(old_objects), -reserved_bytes_of(old_objects)
      from old_objects
    ) as change
    group by tenant_id
    having sum(used) <> 0 or sum(reserved) <> 0;
  end if;
  return null;
end $$;

-- Nothing may change between the sums and the triggers.
lock table objects in share row exclusive mode;

update objects
set reserved_bytes = uploads.file_size
from uploads
where uploads.tenant_id = objects.tenant_id and uploads.object_id = objects.id
  and objects.state = 'pending';

insert into storage_usage (tenant_id, used_bytes, reserved_bytes)
select tenant_id, sum(used_bytes_of(objects)), sum(reserved_bytes_of(objects))
from objects
group by tenant_id;

create trigger new_objects_are_counted
  after insert on objects
  referencing new table as new_objects
  for each statement execute function note_stored_bytes();
create trigger changed_objects_are_counted
  after update on objects
  referencing old table as old_objects new table as new_objects
  for each statement execute function note_stored_bytes();
create trigger removed_objects_are_counted
  after delete on objects
  referencing old table as old_objects
  for each statement execute function note_stored_bytes();

-- How many more bytes a tenant may store; null without a limit. Until the end of the transaction no other may
-- take any of them. It is locked first and counted then: each statement of a volatile function sees what was
-- committed before it.
create function storage_room(of_tenant bigint) returns bigint
language plpgsql volatile strict as $$
declare
  most bigint := (select storage_limit_bytes from tenants where id = of_tenant);
begin
  if most is null then
    return null;
  end if;
  perform pg_advisory_xact_lock(7246013, (hashint8(of_tenant) & 1023));
  return greatest(0, most - (
    select coalesce(sum(used_bytes + reserved_bytes), 0)
    from (
      select used_bytes, reserved_bytes from storage_usage where tenant_id = of_tenant
      union all
      select used_bytes, reserved_bytes from storage_changes where tenant_id = of_tenant
    ) as stored
  ));
end $$;

-- Which of these sizes a tenant may store, each besides the ones before it that fit.
create function fits_in_storage(of_tenant bigint, sizes bigint[]) returns boolean[]
language plpgsql volatile strict as $$
declare
  room bigint := storage_room(of_tenant);
  size bigint;
  fits boolean[] := '{}';
begin
  foreach size in array sizes loop
    fits := fits || coalesce(size <= room, true);
    if size <= room then
      room := room - size;
    end if;
  end loop;
  return fits;
end $$;
