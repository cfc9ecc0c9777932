-- What WebDAV keeps besides files and folders: locks, which bind its clients only, and properties that
-- clients set and nobody else reads.
create table dav_locks (
  tenant_id  bigint not null,
  cog_id     bigint not null,
  token      uuid not null,
  user_id    bigint not null,
  scope      text not null check (scope in ('exclusive', 'shared')),
  -- Whether it also locks everything below.
  is_deep    boolean not null,
  -- What the client says about itself: the content of the element `owner`, as XML.
  owner      text not null check (length(owner) <= 8192),
  expires_at timestamptz(3) not null,

  primary key (tenant_id, cog_id, token),
  foreign key (tenant_id, cog_id) references cogs (tenant_id, id) on delete cascade,
  foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
);

create table dav_properties (
  tenant_id bigint not null,
  cog_id    bigint not null,
  namespace text not null check (length(namespace) <= 400),
  name      text not null check (length(name) <= 200),
  -- The content of its element, as XML.
  value     text not null check (length(value) <= 8192),

  primary key (tenant_id, cog_id, namespace, name),
  foreign key (tenant_id, cog_id) references cogs (tenant_id, id) on delete cascade
);
