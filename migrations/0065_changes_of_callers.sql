-- Servers remember for a while who a token or key stands for. Whatever ends or changes that tells
-- them here, in its own transaction, so that no code can forget to.

-- Tells all who listen to a channel, and the session itself (server/src/db/connection.ts): a
-- notice comes to others some time after the commit, and the process that made the change must
-- know of it before it answers.
create function tell(channel text, payload text) returns void language plpgsql as $$
begin
  perform pg_notify(channel, payload);
  raise notice using errcode = 'ZN001', message = channel, detail = payload;
end $$;

-- Tells `kind value`: the first argument of the trigger, and the old row's column that the second
-- one names.
create function tell_of_caller() returns trigger language plpgsql as $$
begin
  perform tell('callers', tg_argv[0] || ' ' || (to_jsonb(old) ->> tg_argv[1]));
  return null;
end $$;

create trigger tenants_are_told_of
  after update on tenants
  for each row when (old.* is distinct from new.*)
  execute function tell_of_caller('tenant', 'id');

create trigger changed_users_are_told_of
  after update on users
  for each row when (old.* is distinct from new.*)
  execute function tell_of_caller('user', 'id');

create trigger removed_users_are_told_of
  after delete on users
  for each row
  execute function tell_of_caller('user', 'id');

-- All but that it was used.
create trigger changed_api_keys_are_told_of
  after update on api_keys
  for each row when (to_jsonb(old) - 'last_used_at' is distinct from to_jsonb(new) - 'last_used_at')
  execute function tell_of_caller('key', 'id');

create trigger removed_api_keys_are_told_of
  after delete on api_keys
  for each row
  execute function tell_of_caller('key', 'id');

-- A token lives while its session or a refresh token of that does, and while its grant does. What
-- has expired needs no word: until when they live is remembered with them.
create trigger ended_sessions_are_told_of
  after update on identity_states
  for each row when (
    old.model in ('Session', 'RefreshToken') and old.session_uid is not null and (
      new.session_uid is distinct from old.session_uid
      or new.ended_at is distinct from old.ended_at
      or new.expires_at < old.expires_at
    )
  )
  execute function tell_of_caller('session', 'session_uid');

create trigger removed_sessions_are_told_of
  after delete on identity_states
  for each row when (
    old.model in ('Session', 'RefreshToken') and old.session_uid is not null
    and old.expires_at > now()
  )
  execute function tell_of_caller('session', 'session_uid');

create trigger shortened_grants_are_told_of
  after update on identity_states
  for each row when (old.model = 'Grant' and new.expires_at < old.expires_at)
  execute function tell_of_caller('grant', 'id_hash');

create trigger removed_grants_are_told_of
  after delete on identity_states
  for each row when (old.model = 'Grant' and old.expires_at > now())
  execute function tell_of_caller('grant', 'id_hash');

-- Which of a worker's programs may call. Heartbeats change nothing of that.
create trigger changed_workers_are_told_of
  after update on workers
  for each row when (
    (old.token_hash, old.desired_state, old.deleted_at, old.epoch, old.last_epoch, old.tenant_id)
      is distinct from
    (new.token_hash, new.desired_state, new.deleted_at, new.epoch, new.last_epoch, new.tenant_id)
  )
  execute function tell_of_caller('worker', 'id');

create trigger removed_workers_are_told_of
  after delete on workers
  for each row
  execute function tell_of_caller('worker', 'id');
