-- When a sweep for lost attempts last reached the database, by the database's own clock. Kept here
-- and not in a process, so that an absence shows whoever was away: an engine, all of them, the
-- database, or the whole machine asleep; and an engine that was cut off alone is not taken for all.
create table engine_sweep (
  one_row  boolean primary key default true check (one_row),
  swept_at timestamptz(3)
);
insert into engine_sweep default values;

-- Given a second term without a word of its worker; the next heartbeat takes the mark away.
alter table attempts add column lease_extended boolean not null default false;
