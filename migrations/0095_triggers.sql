-- Triggers start runs by themselves, with the rights that their user has at that moment.
create table triggers (
  id                  bigint generated always as identity primary key,
  tenant_id           bigint not null references tenants,
  name                text not null check (length(name) between 1 and 200),
  type                text not null check (type in ('schedule')),
  workflow_id         bigint not null,
  -- Null: whichever is published.
  workflow_version_id bigint,
  cog_ids             bigint[] not null check (cardinality(cog_ids) <= 1000),
  extra_variables     jsonb not null,
  enabled             boolean not null,
  -- Why it was turned off, unless somebody did so.
  off_reason          text check (off_reason in ('run_as_disabled', 'refused_repeatedly')),
  -- Counts changes: what was prepared for an earlier one does not fire.
  revision            int not null default 1,
  -- In a row.
  refusals            int not null default 0,
  run_as_user_id      bigint not null,
  created_by          bigint not null,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),

  cron                text not null check (length(cron) <= 200),
  timezone            text not null,
  overlap             text not null check (overlap in ('allow', 'skip', 'queue_one', 'cancel_running')),
  catch_up            text not null check (catch_up in ('none', 'latest', 'all')),
  dst_gap             text not null check (dst_gap in ('shift', 'skip')),
  dst_overlap         text not null check (dst_overlap in ('first', 'second', 'both')),
  -- Until here all ticks are decided.
  last_tick_at        timestamptz(3) not null,
  -- Null: never again.
  next_fire_at        timestamptz(3),

  unique (tenant_id, id),
  check (off_reason is null or not enabled),
  foreign key (tenant_id, workflow_id) references workflows (tenant_id, id),
  foreign key (tenant_id, workflow_version_id) references workflow_versions (tenant_id, id),
  foreign key (tenant_id, run_as_user_id) references users (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
create index triggers_by_next_fire on triggers (next_fire_at) where enabled;
create index triggers_by_last_tick on triggers (last_tick_at) where enabled;
create index triggers_by_user on triggers (tenant_id, run_as_user_id);

-- What became of each tick. A tick is named by its nominal instant, so processes whose clocks differ cannot decide
-- one twice.
create table firings (
  id         bigint generated always as identity primary key,
  tenant_id  bigint not null,
  trigger_id bigint not null,
  source     text not null check (source in ('tick', 'hand')),
  tick_at    timestamptz(3) not null,
  state      text not null check (state in ('waiting', 'fired', 'skipped', 'refused', 'superseded', 'dropped')),
  reason     text,
  -- Of several dropped together: how many, and the last of them.
  ticks      int not null default 1 check (ticks >= 1),
  until      timestamptz(3),
  run_id     bigint,
  decided_at timestamptz(3) not null default clock_timestamp(),

  check ((state = 'fired') = (run_id is not null)),
  foreign key (tenant_id, trigger_id) references triggers (tenant_id, id) on delete cascade
);
create unique index firings_once_per_tick on firings (trigger_id, tick_at) where source = 'tick';
create index firings_by_trigger on firings (tenant_id, trigger_id, id);
-- One at most: a newer tick supersedes it.
create unique index firings_one_waits on firings (trigger_id) where state = 'waiting';
create index firings_by_age on firings (decided_at);

create index workflow_runs_by_trigger on workflow_runs (tenant_id, trigger_id, id) where trigger_id is not null;
