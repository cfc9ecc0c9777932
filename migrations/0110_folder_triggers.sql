-- New files in a folder start runs: triggers of type `folder`.
alter table triggers
  drop constraint triggers_type_check,
  add constraint triggers_type_check check (type in ('schedule', 'webhook', 'folder')),
  -- Whether folders below count as well.
  add column recursive boolean,
  -- Of files that count; null: all.
  add column media_types text[],
  -- How long no file must have come before a run starts.
  add column debounce_seconds int check (debounce_seconds between 0 and 3600),
  -- After a refusal: not before.
  add column retry_at timestamptz(3),
  add check (
    (type = 'folder') = (debounce_seconds is not null)
    and num_nulls(recursive, debounce_seconds) in (0, 2)
    and (type <> 'folder' or folder_id is not null)
  );
create index triggers_of_folders on triggers (tenant_id, folder_id) where type = 'folder' and enabled;

-- Cogs that have come to a place, or have new bytes, in tenants that have such triggers. An engine looks for the triggers
-- that it concerns soon after.
create table arrivals (
  id        bigint generated always as identity primary key,
  tenant_id bigint not null,
  cog_id    bigint not null
);

-- Which version of which file came for a trigger; each starts one run at most.
create table trigger_files (
  tenant_id  bigint not null,
  trigger_id bigint not null,
  cog_id     bigint not null,
  version    int not null,
  arrived_at timestamptz(3) not null default clock_timestamp(),
  -- `passed`: not there any more, or not visible to the user of the trigger, when the run began.
  state      text not null default 'waiting' check (state in ('waiting', 'started', 'passed')),
  run_id     bigint,
  -- How many runs of folder triggers, one from the results of the other, it would be the end of.
  chain      int not null default 1,
  primary key (trigger_id, cog_id, version),
  check ((state = 'started') = (run_id is not null)),
  foreign key (tenant_id, trigger_id) references triggers (tenant_id, id) on delete cascade
);
create index trigger_files_waiting on trigger_files (trigger_id, arrived_at) where state = 'waiting';

create function note_new_cogs() returns trigger language plpgsql as $$
begin
  insert into arrivals (tenant_id, cog_id)
  select added.tenant_id, added.id
  from added
  where exists (
    select from triggers
    where triggers.tenant_id = added.tenant_id and triggers.type = 'folder' and triggers.enabled
  );
  return null;
end $$;
create trigger new_cogs_arrive after insert on cogs
  referencing new table as added for each statement execute function note_new_cogs();

create function note_moved_cog() returns trigger language plpgsql as $$
begin
  insert into arrivals (tenant_id, cog_id)
  select new.tenant_id, new.id
  where exists (
    select from triggers
    where triggers.tenant_id = new.tenant_id and triggers.type = 'folder' and triggers.enabled
  );
  return null;
end $$;
create trigger moved_cogs_arrive after update on cogs for each row
  when (
    new.deleted_at is null
    and (
      old.deleted_at is not null
      or old.parent_id is distinct from new.parent_id
      or old.object_id is distinct from new.object_id
    )
  )
  execute function note_moved_cog();

-- Of a run of a folder trigger: see trigger_files.
alter table workflow_runs add column chain int;

alter table firings
  drop constraint firings_source_check,
  add constraint firings_source_check check (source in ('tick', 'hand', 'message', 'files'));
