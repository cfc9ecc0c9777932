-- Invitations into a tenant. There is no user before one is accepted; the row stays as the record of how it ended.
create table invitations (
  id          bigint generated always as identity primary key,
  tenant_id   bigint not null references tenants,
  email       text not null check (length(email) between 3 and 320),
  role        text not null check (role in ('admin', 'member')),
  invited_by  bigint not null,
  -- Of the token in the link; the token itself is kept nowhere.
  token_hash  bytea not null,
  created_at  timestamptz(3) not null default now(),
  expires_at  timestamptz(3) not null default now() + interval '7 days',
  -- None of the two while it is open, also when it has expired.
  ended_at    timestamptz(3),
  outcome     text check (outcome in ('accepted', 'replaced', 'revoked', 'voided')),
  -- Who came by it.
  user_id     bigint,

  unique (tenant_id, id),
  foreign key (tenant_id, invited_by) references users (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  constraint invitations_end_with_an_outcome check ((ended_at is null) = (outcome is null)),
  constraint invitations_accepted_by_a_user check ((outcome is not distinct from 'accepted') = (user_id is not null))
);
create unique index invitations_by_token on invitations (token_hash);
-- One address has one open invitation into a tenant. Only ASCII letters are compared without their case: other
-- letters that have the same lower case, such as İ and i, are different mailboxes.
create unique index invitations_open_once on invitations (tenant_id, lower(email collate "C"))
  where ended_at is null;
-- A newcomer from an external provider is looked for in all tenants.
create index invitations_open_by_address on invitations (lower(email collate "C")) where ended_at is null;
create index invitations_open_by_inviter on invitations (tenant_id, invited_by) where ended_at is null;

-- How many active users and open invitations a tenant may have together. Null: no limit.
alter table tenants
  add column seats_limit int constraint tenants_seats_limit_check check (seats_limit >= 1);
create index users_active on users (tenant_id) where status = 'active';
create index users_platform_admins on users (id) where is_platform_admin;
