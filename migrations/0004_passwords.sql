-- Passwords of users who sign in with the embedded provider; others have no row.
create table passwords (
  user_id     bigint primary key references users on delete cascade,
  -- argon2id in PHC form, so that its cost may grow without a migration.
  hash        text not null check (hash like '$argon2id$%'),
  -- A one-time password opens nothing but the page that replaces it.
  must_change boolean not null default false,
  updated_at  timestamptz(3) not null default now()
);
