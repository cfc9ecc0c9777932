-- A run of one version over some files, and everything that happens in it.
create table workflow_runs (
  id                     bigint generated always as identity primary key,
  tenant_id              bigint not null references tenants,
  workflow_id            bigint not null,
  workflow_version_id    bigint not null,
  status                 text not null default 'queued'
                         check (status in ('queued', 'running', 'success', 'partial_success', 'failure', 'cancelled')),
  error_message          text,
  -- The graph as it was at the start: editing a draft does not touch its running test.
  graph                  jsonb not null,
  extra_variables        jsonb not null,
  started_by             bigint not null,
  trigger_id             bigint,
  test_run               boolean not null,
  priority               text not null default 'normal' check (priority in ('low', 'normal', 'high')),
  on_failure             text not null default 'continue' check (on_failure in ('continue', 'abort')),
  output_parent_id       bigint,
  -- The folder of this run's outputs, made with the first of them.
  output_folder_id       bigint,
  restarted_from_run_id  bigint,
  superseded_by_run_id   bigint,
  restart_mode           text check (restart_mode in ('failed', 'all')),
  -- Nodes that a restart runs again in any case, because a variable they use was changed.
  restart_touched        text[],
  cancel_requested_at    timestamptz(3),
  cancel_reason          text,
  -- High-water mark, so that what a client saw never falls.
  progress_percentage    numeric(4, 1) not null default 0,
  created_at             timestamptz(3) not null default now(),
  started_at             timestamptz(3),
  finished_at            timestamptz(3),
  deleted_at             timestamptz(3),

  unique (tenant_id, id),
  foreign key (tenant_id, workflow_id) references workflows (tenant_id, id),
  foreign key (tenant_id, workflow_version_id) references workflow_versions (tenant_id, id),
  foreign key (tenant_id, started_by) references users (tenant_id, id),
  foreign key (tenant_id, output_parent_id) references cogs (tenant_id, id),
  foreign key (tenant_id, output_folder_id) references cogs (tenant_id, id),
  foreign key (tenant_id, restarted_from_run_id) references workflow_runs (tenant_id, id),
  foreign key (tenant_id, superseded_by_run_id) references workflow_runs (tenant_id, id)
);
create index workflow_runs_by_tenant on workflow_runs (tenant_id, id desc) where deleted_at is null;
create index workflow_runs_under_way on workflow_runs (id) where status in ('queued', 'running');

create function refuse_wakening() returns trigger language plpgsql as $$
begin
  raise exception 'run % has ended as % and stays so', old.id, old.status using errcode = 'CW001';
end $$;

create trigger ended_runs_stay_ended
  before update of status on workflow_runs
  for each row
  when (old.status in ('success', 'partial_success', 'failure', 'cancelled') and new.status <> old.status)
  execute function refuse_wakening();

-- How far each node of the graph is: counters, so that progress and outcome need no recount.
create table run_nodes (
  tenant_id           bigint not null,
  run_id              bigint not null,
  node_key            text not null,
  -- Place in topological order.
  position            int not null,
  node_definition_id  bigint not null references node_definitions,
  -- How many node runs the node has; unknown until a fan-out's source has ended.
  expected            int,
  running             int not null default 0 check (running >= 0),
  success             int not null default 0,
  failure             int not null default 0,
  cancelled           int not null default 0,
  skipped_by_condition int not null default 0,
  skipped_upstream    int not null default 0,
  -- Of the successes, how many were taken over from the run that this one restarts.
  reused              int not null default 0,

  primary key (tenant_id, run_id, node_key),
  foreign key (tenant_id, run_id) references workflow_runs (tenant_id, id) on delete cascade,
  constraint no_more_ended_than_expected
    check (success + failure + cancelled + skipped_by_condition + skipped_upstream <= expected)
);

create table node_runs (
  id                    bigint generated always as identity primary key,
  tenant_id             bigint not null,
  run_id                bigint not null,
  node_key              text not null,
  -- The lane of a mapped node, from 0; none where the node runs once.
  shard_index           int,
  -- The input file of the lane, where the lane is one of the run's files.
  cog_id                bigint,
  status                text not null default 'pending'
                        check (status in ('pending', 'queued', 'running', 'success', 'failure', 'cancelled', 'skipped')),
  skip_reason           text,
  attempt               int not null default 0,
  max_attempts          int not null default 1,
  -- The platform's own faults (lost worker, pull, transfer) do not use up the user's attempts.
  system_faults         int not null default 0,
  -- Raised after a run out of memory, where the definition asks for that.
  memory_mb             int not null,
  reused_from_node_run_id bigint,
  worker_id             bigint references workers,
  -- What the container last said of itself, 0 to 1.
  fraction              real not null default 0,
  exit_code             int,
  error_class           text,
  error_message         text,
  queued_at             timestamptz(3),
  started_at            timestamptz(3),
  finished_at           timestamptz(3),

  unique (tenant_id, id),
  unique nulls not distinct (tenant_id, run_id, node_key, shard_index),
  foreign key (tenant_id, run_id) references workflow_runs (tenant_id, id) on delete cascade,
  foreign key (tenant_id, run_id, node_key) references run_nodes (tenant_id, run_id, node_key) on delete cascade,
  foreign key (tenant_id, cog_id) references cogs (tenant_id, id)
);
create index node_runs_running on node_runs (tenant_id, run_id) where status = 'running';

create function refuse_node_wakening() returns trigger language plpgsql as $$
begin
  raise exception 'node run % has ended as % and stays so', old.id, old.status using errcode = 'CW001';
end $$;

create trigger ended_node_runs_stay_ended
  before update of status on node_runs
  for each row
  when (old.status in ('success', 'failure', 'cancelled', 'skipped') and new.status <> old.status)
  execute function refuse_node_wakening();

-- Only what could start now, and what it needs. Narrow and short-lived, because every worker
-- reads it all the time; whatever waits for something else stays out of it.
create table ready_queue (
  node_run_id bigint primary key references node_runs on delete cascade,
  tenant_id   bigint not null,
  run_id      bigint not null,
  -- 0 is served first.
  band        int not null,
  not_before  timestamptz(3) not null default now(),
  cpu         real not null,
  memory_mb   int not null,
  gpu         int not null,
  disk_mb     int not null,
  -- Workers that lost it already; another one should try.
  avoid       bigint[] not null default '{}'
);
create index ready_queue_in_order on ready_queue (band, node_run_id);

-- One try of one node run on one worker, held by a lease.
create table attempts (
  id               bigint generated always as identity primary key,
  tenant_id        bigint not null,
  run_id           bigint not null,
  node_run_id      bigint not null,
  worker_id        bigint not null references workers,
  -- Fences the completion: whoever lost the lease has a stale one.
  lease_token      uuid not null default gen_random_uuid(),
  lease_expires_at timestamptz(3) not null,
  status           text not null default 'leased'
                   check (status in ('leased', 'running', 'success', 'failure', 'cancelled', 'lost')),
  cancel_requested_at timestamptz(3),
  -- What was reserved for it on the worker.
  cpu              real not null,
  memory_mb        int not null,
  gpu              int not null,
  disk_mb          int not null,
  leased_at        timestamptz(3) not null default now(),
  started_at       timestamptz(3),
  finished_at      timestamptz(3),
  exit_code        int,
  error_class      text,
  error_message    text,

  unique (tenant_id, id),
  foreign key (tenant_id, node_run_id) references node_runs (tenant_id, id) on delete cascade
);
create unique index one_live_attempt_per_node_run on attempts (node_run_id) where status in ('leased', 'running');
create index attempts_live_by_worker on attempts (worker_id) where status in ('leased', 'running');
create index attempts_by_node_run on attempts (tenant_id, node_run_id);

-- What an attempt wrote to stdout and stderr, in pieces as they came.
create table attempt_logs (
  tenant_id    bigint not null,
  attempt_id   bigint not null,
  start_offset bigint not null,
  bytes        bytea not null,

  primary key (tenant_id, attempt_id, start_offset),
  foreign key (tenant_id, attempt_id) references attempts (tenant_id, id) on delete cascade
);

-- Objects that an attempt may upload; those of an accepted completion become its outputs.
create table attempt_uploads (
  tenant_id  bigint not null,
  attempt_id bigint not null,
  object_id  bigint not null,

  primary key (tenant_id, attempt_id, object_id),
  foreign key (tenant_id, attempt_id) references attempts (tenant_id, id) on delete cascade,
  foreign key (tenant_id, object_id) references objects (tenant_id, id)
);

create table node_run_outputs (
  id              bigint generated always as identity primary key,
  tenant_id       bigint not null,
  run_id          bigint not null,
  node_run_id     bigint not null,
  port            text not null,
  position        int not null,
  name            text not null,
  media_type      text not null,
  object_id       bigint not null,
  size_bytes      bigint not null,
  checksum_sha256 text not null,

  unique (tenant_id, node_run_id, port, position),
  foreign key (tenant_id, node_run_id) references node_runs (tenant_id, id) on delete cascade,
  foreign key (tenant_id, object_id) references objects (tenant_id, id)
);

-- Files that went in, pinned to the bytes they had, and files that came out.
create table run_files (
  id              bigint generated always as identity primary key,
  tenant_id       bigint not null,
  run_id          bigint not null,
  direction       text not null check (direction in ('input', 'output')),
  cog_id          bigint not null,
  -- Of an input: which input of the graph, and its place in it.
  input_name      text,
  position        int,
  -- Of an output: what made it.
  node_run_id     bigint,
  node_key        text,
  name            text not null,
  media_type      text not null,
  object_id       bigint not null,
  size_bytes      bigint not null,
  checksum_sha256 text not null,
  status          text not null check (status in ('pending', 'processing', 'success', 'failure', 'cancelled', 'skipped')),
  error_message   text,
  created_at      timestamptz(3) not null default now(),

  unique (tenant_id, run_id, direction, input_name, position),
  foreign key (tenant_id, run_id) references workflow_runs (tenant_id, id) on delete cascade,
  foreign key (tenant_id, cog_id) references cogs (tenant_id, id),
  foreign key (tenant_id, object_id) references objects (tenant_id, id)
);
create index run_files_by_run on run_files (tenant_id, run_id, id);

-- What is charged: one event per attempt that ran a container, never more.
create table usage_events (
  attempt_id   bigint primary key,
  tenant_id    bigint not null,
  run_id       bigint not null,
  node_run_id  bigint not null,
  seconds      numeric(12, 3) not null check (seconds >= 0),
  cpu          real not null,
  memory_mb    int not null,
  gpu          int not null,
  -- Credits in thousandths; 0 for what was the platform's fault.
  millicredits bigint not null check (millicredits >= 0),
  created_at   timestamptz(3) not null default now(),

  foreign key (tenant_id, attempt_id) references attempts (tenant_id, id)
);
create index usage_events_by_tenant on usage_events (tenant_id, created_at);
