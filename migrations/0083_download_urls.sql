-- URLs that give what their maker may see, without credentials, for a limited time. Only a hash of the
-- token is kept. Rights are read at each use.
create table download_urls (
  id           bigint generated always as identity primary key,
  tenant_id    bigint not null,
  token_hash   bytea not null,
  -- One file or folder, or what was selected, which is sent as one ZIP.
  cog_ids      bigint[] not null check (cardinality(cog_ids) between 1 and 1000),
  is_selection boolean not null,
  version      int check (version >= 1),
  inline       boolean not null,
  created_by   bigint not null,
  -- The API key that it was made with; it ends with the key.
  key_id       bigint,
  created_at   timestamptz(3) not null default now(),
  expires_at   timestamptz(3) not null,

  constraint download_urls_token_unique unique (token_hash),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, key_id) references api_keys (tenant_id, id),
  check (is_selection or cardinality(cog_ids) = 1)
);
create index download_urls_by_tenant on download_urls (tenant_id, id);
create index download_urls_by_maker on download_urls (tenant_id, created_by, id);
create index download_urls_by_cog on download_urls using gin (cog_ids);
create index download_urls_by_expiry on download_urls (expires_at);
