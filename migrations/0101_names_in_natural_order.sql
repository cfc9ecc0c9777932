-- Lists by name have the order that people expect: "scan 2" before "scan 10", "apple" before "Zebra", and "Äpfel"
-- beside "apple" (docs/decisions/0031-names-in-natural-order.md). Deterministic: names are equal only if their bytes
-- are, so no two siblings are at the same place, and the column remains by code point for keys and look-ups.
create collation natural_order (provider = icu, locale = 'und-u-kn-true', deterministic = true);

create index cogs_in_folder_by_name on cogs (tenant_id, parent_id, name collate natural_order, id)
  where deleted_at is null;

-- The same indexes as before, along the new order.
drop index cogs_folders_in_folder;
create index cogs_folders_in_folder on cogs (tenant_id, parent_id, name collate natural_order, id)
  where cog_type = 'asset_folder';
drop index cogs_in_order_of_name;
create index cogs_in_order_of_name on cogs (tenant_id, name collate natural_order, id) include (parent_id)
  where deleted_at is null and cog_type <> 'master_folder';
