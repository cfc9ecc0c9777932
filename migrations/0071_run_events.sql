-- What became different of runs, for those who watch them: a short memory, from which a stream that was cut
-- goes on without a gap (docs/decisions/0015-live-events.md). A crash empties unlogged tables, which costs
-- watchers one reading of the whole; written to the log they would cost every decision.
create unlogged table run_events (
  -- Of the transaction that wrote it. What a reader has seen is a snapshot of transactions, not a number:
  -- of two processes the one with the lower number may commit later.
  xid        bigint not null default pg_current_xact_id()::text::bigint,
  -- Within a run, the order of its decisions.
  id         bigint generated always as identity,
  tenant_id  bigint not null,
  run_id     bigint not null,
  -- The run itself, as JSON, where that changed.
  run        text,
  -- Events about what is in it, one per line: a name, a space, JSON.
  details    text,
  -- The run has ended, and nothing follows.
  is_last    boolean not null default false,
  created_at timestamptz not null default now(),

  primary key (xid, id)
);

-- All events of transactions up to this one may have been removed. Without a row, as after a crash, nobody
-- knows what was.
create unlogged table run_events_floor (
  is_only boolean primary key default true check (is_only),
  xid     bigint not null
);
insert into run_events_floor (xid) values (pg_current_xact_id()::text::bigint);
