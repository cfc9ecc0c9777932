-- Whoever takes over the files and folders of somebody who is disabled. A duty does it in portions, in the order
-- of their ids; the row goes with the last one.
create table successions (
  tenant_id    bigint not null,
  user_id      bigint not null,
  successor_id bigint not null,
  requested_by bigint not null,
  -- Up to here all are taken over.
  last_cog_id  bigint not null default 0,
  -- What is newer is not: the user may be enabled again meanwhile.
  until_cog_id bigint not null,
  cog_count    bigint not null default 0,
  created_at   timestamptz(3) not null default now(),

  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, successor_id) references users (tenant_id, id),
  foreign key (tenant_id, requested_by) references users (tenant_id, id),
  constraint nobody_succeeds_themselves check (user_id <> successor_id)
);
