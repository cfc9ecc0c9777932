-- One key signs at a time. Servers that started together on an empty database could each add one,
-- and then refused each other's tokens until their next start.

-- Where that happened the key that every restarted server signs with stays; the tokens of the
-- others are good until they expire.
update signing_keys
set retired_at = now()
where retired_at is null and kid <> (
  select kid
  from signing_keys
  where retired_at is null
  order by created_at desc, kid
  limit 1
);

create unique index signing_keys_one_signs on signing_keys ((true)) where retired_at is null;
