-- Search by a part of a name stays on an index, and within the tenant: the index before had the
-- trigrams of all tenants, so a common word meant reading everybody's files.
create extension if not exists btree_gin;

-- For what is rare: what has these trigrams, in this tenant.
create index cogs_by_trigrams_of_name on cogs using gin (tenant_id, name gin_trgm_ops)
  where deleted_at is null;

-- For what is common, and for one or two characters, which have no trigram: along the names in
-- the order answered, until a page is full. Read without the table, so it holds the folder too.
create index cogs_in_order_of_name on cogs (tenant_id, name, id) include (parent_id)
  where deleted_at is null and cog_type <> 'master_folder';

drop index cogs_by_part_of_name;
