-- Tenants and their users. Every other table starts its keys with tenant_id, so that a
-- link from one tenant's row to another's cannot exist.

-- One row: what this installation is, and the key all its own keys come from, sealed by
-- MASTER_KEY. A master key that does not open it does not fit this data.
create table installation (
  id              int primary key default 1 check (id = 1),
  installation_id uuid not null default gen_random_uuid(),
  sealed_key      bytea not null,
  created_at      timestamptz(3) not null default now()
);

create table tenants (
  id         bigint generated always as identity primary key,
  name       text not null check (length(name) between 1 and 200),
  -- The key that seals the tenant's secrets, itself sealed by MASTER_KEY.
  sealed_key bytea not null,
  created_at timestamptz(3) not null default now()
);

create table users (
  id                  bigint generated always as identity primary key,
  tenant_id           bigint not null references tenants,
  email               text not null check (length(email) between 1 and 320),
  first_name          text not null default '' check (length(first_name) <= 100),
  last_name           text not null default '' check (length(last_name) <= 100),
  role                text not null default 'member' check (role in ('admin', 'member')),
  status              text not null default 'active' check (status in ('active', 'disabled')),
  is_platform_admin   boolean not null default false,
  onboarding_complete boolean not null default false,
  -- Who vouches for the user: the embedded provider or an external one, and its name for them.
  issuer              text not null,
  subject             text not null,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),

  unique (tenant_id, id),
  constraint users_subject_unique_per_issuer unique (issuer, subject)
);

-- An address signs in at one provider as one user, however it is capitalised.
create unique index users_email_unique_per_issuer on users (issuer, lower(email));
