-- Ends of runs are told to URLs that users name: notices. The transaction that ends a run writes their messages, so a killed
-- process loses none.
create table notices (
  id            bigint generated always as identity primary key,
  tenant_id     bigint not null references tenants,
  name          text check (length(name) between 1 and 200),
  url           text not null check (length(url) <= 2000),
  events        text[] not null check (
    cardinality(events) between 1 and 4
    and events <@ array['run.success', 'run.partial_success', 'run.failure', 'run.cancelled']
  ),
  -- Null: all.
  workflow_id   bigint,
  enabled       boolean not null,
  -- Why it was turned off, unless somebody did so.
  off_reason    text check (off_reason in ('gone', 'failing')),
  -- Since when every attempt has failed.
  failing_since timestamptz(3),
  -- Nothing is sent before: its receiver asked so.
  quiet_until   timestamptz(3),
  created_by    bigint not null,
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now(),

  unique (tenant_id, id),
  check (off_reason is null or not enabled),
  foreign key (tenant_id, workflow_id) references workflows (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
create index notices_by_creator on notices (tenant_id, created_by);

-- One, or two while receivers change to a new one.
create table notice_secrets (
  id           bigint generated always as identity primary key,
  tenant_id    bigint not null,
  notice_id    bigint not null,
  sealed_value bytea not null,
  -- Null: the newest.
  ends_at      timestamptz(3),
  foreign key (tenant_id, notice_id) references notices (tenant_id, id) on delete cascade
);
create unique index notice_secrets_one_newest on notice_secrets (notice_id) where ends_at is null;
create index notice_secrets_by_notice on notice_secrets (tenant_id, notice_id);

-- What is to be sent, and was. There is no foreign key: a notice that is deleted meanwhile must not fail the transaction
-- that ends a run.
create table notice_deliveries (
  id              bigint generated always as identity primary key,
  tenant_id       bigint not null,
  notice_id       bigint not null,
  -- As receivers see it; the same for all attempts.
  message_id      text not null default 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  type            text not null
                  check (type in ('run.success', 'run.partial_success', 'run.failure', 'run.cancelled', 'test')),
  run_id          bigint,
  state           text not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  -- Attempts since it was last to be sent from the start.
  failures        int not null default 0,
  -- Cut to milliseconds, because rounded up it would not be due yet.
  next_attempt_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  -- A process sends it: until then no other does.
  leased_until    timestamptz(3),
  -- Counts leases: what a process finds out counts only while its lease is the last one.
  leases          int not null default 0,
  created_at      timestamptz(3) not null default now(),

  check ((type = 'test') = (run_id is null))
);
create index notice_deliveries_waiting on notice_deliveries (notice_id, next_attempt_at, id) where state = 'waiting';
create index notice_deliveries_leased on notice_deliveries (tenant_id, notice_id, leased_until) where leased_until is not null;
create index notice_deliveries_by_notice on notice_deliveries (tenant_id, notice_id, id);
create index notice_deliveries_by_age on notice_deliveries (created_at);

create table notice_attempts (
  id           bigint generated always as identity primary key,
  tenant_id    bigint not null,
  delivery_id  bigint not null references notice_deliveries on delete cascade,
  attempted_at timestamptz(3) not null,
  duration_ms  int not null,
  -- Of the answer.
  status       int,
  -- In words.
  error        text
);
create index notice_attempts_by_delivery on notice_attempts (delivery_id, id);

create function note_ended_run() returns trigger language plpgsql as $$
begin
  insert into notice_deliveries (tenant_id, notice_id, type, run_id)
  select notice.tenant_id, notice.id, 'run.' || new.status, new.id
  from notices as notice
  join users as creator on creator.tenant_id = notice.tenant_id and creator.id = notice.created_by
  where notice.tenant_id = new.tenant_id and notice.enabled and creator.status = 'active'
    and (notice.workflow_id is null or notice.workflow_id = new.workflow_id)
    and 'run.' || new.status = any(notice.events);
  return null;
end $$;
create trigger ended_runs_are_noted after update of status on workflow_runs for each row
  when (new.status not in ('queued', 'running') and old.status in ('queued', 'running'))
  execute function note_ended_run();
create trigger runs_that_end_at_once_are_noted after insert on workflow_runs for each row
  when (new.status not in ('queued', 'running'))
  execute function note_ended_run();
