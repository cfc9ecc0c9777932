-- Who may do what to a cog and all below it: one grant per cog and user. The nearest one that
-- has not expired decides as a whole (docs/permissions.md).
create table permissions (
  id         bigint generated always as identity primary key,
  tenant_id  bigint not null,
  cog_id     bigint not null,
  user_id    bigint not null,
  level      text not null check (level in ('viewer', 'editor', 'owner')),
  -- Without a value the level decides.
  can_upload boolean,
  can_share  boolean,
  can_delete boolean,
  expires_at timestamptz(3),
  created_by bigint not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),

  foreign key (tenant_id, cog_id) references cogs (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  constraint permissions_one_per_cog_and_user unique (tenant_id, cog_id, user_id)
);

-- What is shared with a user.
create index permissions_by_user on permissions (tenant_id, user_id, cog_id);
