-- The CRC-32 of stored bytes, which a ZIP needs before it can promise its length. Kept from the upload
-- on; null for bytes of earlier releases and for those that never passed through this service, until a
-- ZIP with them is asked for.
alter table objects
  add column crc32 bigint check (crc32 between 0 and 4294967295),
  -- A ZIP waits for it: a duty reads the bytes.
  add column crc32_wanted boolean not null default false;
create index objects_wanting_crc32 on objects (id) where crc32_wanted;
