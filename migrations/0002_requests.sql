-- What belongs to requests themselves, whatever the resource.

-- A POST repeated with the same Idempotency-Key answers the first result again. The row is
-- written in the transaction of the effect: either both exist or neither.
create table idempotency_keys (
  user_id    bigint not null references users on delete cascade,
  route      text not null,
  key        text not null,
  body_hash  bytea not null,
  status     int,
  -- Sealed, because the first result may hold a secret that is shown once.
  response   bytea,
  created_at timestamptz(3) not null default now(),

  primary key (user_id, route, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Every change of rights, sign-in, key, secret and deletion. Only ever added to.
create table audit_events (
  id          bigint generated always as identity primary key,
  tenant_id   bigint not null references tenants,
  -- Nobody for what the system does of itself, such as an expiry.
  actor_id    bigint,
  action      text not null,
  target_type text not null,
  target_id   text,
  details     jsonb not null default '{}',
  created_at  timestamptz(3) not null default now(),

  foreign key (tenant_id, actor_id) references users (tenant_id, id)
);
create index audit_events_by_tenant on audit_events (tenant_id, id desc);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;

create trigger audit_events_are_append_only
  before update or delete on audit_events
  for each row execute function refuse_change();
