-- Webhooks start runs as well: triggers with an address and secrets instead of a schedule.
alter table triggers
  drop constraint triggers_type_check,
  add constraint triggers_type_check check (type in ('schedule', 'webhook')),
  alter column cron drop not null,
  alter column timezone drop not null,
  alter column overlap drop not null,
  alter column catch_up drop not null,
  alter column dst_gap drop not null,
  alter column dst_overlap drop not null,
  alter column last_tick_at drop not null,
  -- What its address ends with.
  add column public_id text unique,
  -- How its messages are signed.
  add column preset text check (preset in ('standard', 'github', 'gitlab', 'stripe', 'slack')),
  -- JSON pointers into the body of a message.
  add column mapping jsonb,
  -- A message may name cogs below this folder only.
  add column folder_id bigint,
  add check (
    (type = 'schedule') = (cron is not null)
    and num_nulls(cron, timezone, overlap, catch_up, dst_gap, dst_overlap, last_tick_at) in (0, 7)
  ),
  add check ((type = 'webhook') = (public_id is not null) and num_nulls(public_id, preset, mapping) in (0, 3));

-- One, or two while senders change to a new one.
create table trigger_secrets (
  id           bigint generated always as identity primary key,
  tenant_id    bigint not null,
  trigger_id   bigint not null,
  sealed_value bytea not null,
  -- Null: the newest.
  ends_at      timestamptz(3),
  foreign key (tenant_id, trigger_id) references triggers (tenant_id, id) on delete cascade
);
create unique index trigger_secrets_one_newest on trigger_secrets (trigger_id) where ends_at is null;
create index trigger_secrets_by_trigger on trigger_secrets (tenant_id, trigger_id);

-- The messages of the last day that started a run: a repeated one is answered with that run.
create table hook_messages (
  tenant_id   bigint not null,
  trigger_id  bigint not null,
  message_id  text not null check (length(message_id) <= 256),
  -- Null while the run starts.
  run_id      bigint,
  received_at timestamptz(3) not null default clock_timestamp(),
  primary key (trigger_id, message_id),
  foreign key (tenant_id, trigger_id) references triggers (tenant_id, id) on delete cascade
);
create index hook_messages_by_age on hook_messages (received_at);

-- What came to the address of a trigger, and what became of it.
create table deliveries (
  id            bigint generated always as identity primary key,
  tenant_id     bigint not null,
  trigger_id    bigint not null,
  verdict       text not null
                check (verdict in ('accepted', 'repeated', 'answered', 'refused', 'disabled', 'bad_signature')),
  status        int not null,
  message_id    text,
  reason        text,
  run_id        bigint,
  redelivery_of bigint,
  size_bytes    int not null,
  -- Only of signed messages, while it is kept.
  body          bytea check (length(body) <= 65536),
  received_at   timestamptz(3) not null default clock_timestamp(),
  foreign key (tenant_id, trigger_id) references triggers (tenant_id, id) on delete cascade
);
create index deliveries_by_trigger on deliveries (tenant_id, trigger_id, id);
create index deliveries_by_age on deliveries (received_at);
create index deliveries_with_body on deliveries (received_at) where body is not null;

alter table firings
  drop constraint firings_source_check,
  add constraint firings_source_check check (source in ('tick', 'hand', 'message'));
