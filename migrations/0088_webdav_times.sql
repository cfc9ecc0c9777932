-- When a file was changed on the machine that it comes from, as told by a WebDAV client. Clients that
-- keep folders equal compare such times. It is about one version: a later content has its own.
create table dav_times (
  tenant_id   bigint not null,
  cog_id      bigint not null,
  version     int not null,
  modified_at timestamptz(0) not null,

  primary key (tenant_id, cog_id),
  foreign key (tenant_id, cog_id) references cogs (tenant_id, id) on delete cascade
);
