-- What the embedded identity provider remembers: sign-in pages under way, browser sessions,
-- authorization codes, grants and refresh tokens. Ids are what a browser or client holds, so
-- they are kept as hashes only and the payloads sealed: a stolen table signs nobody in.
create table identity_states (
  model       text not null,
  id_hash     bytea not null,
  payload     bytea not null,
  -- All that came from one authorization, and what ends with it.
  grant_id    text,
  -- The browser session it came from; for a session itself, its own.
  session_uid text,
  -- users.subject, so that all of a user's ends at once.
  subject     text,
  consumed_at timestamptz(3),
  expires_at  timestamptz(3) not null,

  primary key (model, id_hash)
);
create index identity_states_by_grant on identity_states (grant_id) where grant_id is not null;
create index identity_states_by_session on identity_states (session_uid)
  where session_uid is not null;
create index identity_states_by_subject on identity_states (subject) where subject is not null;
create index identity_states_by_expiry on identity_states (expires_at);
