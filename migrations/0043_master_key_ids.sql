-- Which master key sealed a value, so that servers can serve while it is replaced: whoever meets an
-- id it does not know reads its key file again. None: sealed before there were ids.
alter table installation add column sealed_with text;
alter table tenants      add column sealed_with text;

-- Servers and engines that run, and where their master key is. A rotation is refused while one of
-- them could not read the new key by itself.
create table server_processes (
  id         uuid primary key,
  role       text not null check (role in ('serve', 'engine')),
  host       text not null,
  pid        int not null,
  -- The folder of its key file; none where the key came by the environment.
  key_folder text,
  seen_at    timestamptz(3) not null default now()
);
