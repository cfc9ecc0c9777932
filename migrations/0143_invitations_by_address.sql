-- How often an address was invited in a day: it is mailed only a few times.
create index invitations_by_address on invitations (tenant_id, lower(email collate "C"), created_at);
-- The list of open ones, among any number that have ended.
create index invitations_open on invitations (tenant_id, id) where ended_at is null;
