-- The keys of somebody, among any number that they have revoked.
create index api_keys_live on api_keys (tenant_id, user_id, id) where revoked_at is null;
