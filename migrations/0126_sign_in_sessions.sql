-- Where somebody is signed in, for their own eyes: what the embedded provider keeps of a session is sealed, and has
-- neither browser nor address. Whether it still lives is in identity_states alone.
create table sign_in_sessions (
  id           bigint generated always as identity primary key,
  tenant_id    bigint not null,
  user_id      bigint not null,
  session_uid  text not null,
  user_agent   text not null check (length(user_agent) <= 500),
  address      text not null,
  created_at   timestamptz(3) not null default now(),
  -- When its tokens were made or renewed last.
  last_used_at timestamptz(3) not null default now(),

  constraint sign_in_sessions_uid_unique unique (session_uid),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index sign_in_sessions_by_user on sign_in_sessions (tenant_id, user_id, id);
create index sign_in_sessions_by_use on sign_in_sessions (last_used_at);
