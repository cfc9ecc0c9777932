-- Previews are made by the service for its own use, so they do not count as what a tenant stores.
alter table objects add column is_counted boolean not null default true;

create or replace function used_bytes_of(object objects) returns bigint language sql immutable
return case when object.is_counted and object.state = 'live' then object.size_bytes else 0 end;

create or replace function reserved_bytes_of(object objects) returns bigint language sql immutable
return case
  when object.is_counted and object.state = 'pending'
  then greatest(object.reserved_bytes, object.size_bytes)
  else 0
end;

-- The trigger notes what they counted before. One that is being made meanwhile by a server of the previous
-- release is counted until it is removed.
update objects
set is_counted = false
from previews
where previews.tenant_id = objects.tenant_id and previews.preview_object_id = objects.id;
