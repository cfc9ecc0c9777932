-- Announced sizes are checked one by one. The sums of a tenant without a limit could exceed a bigint, and then
-- no more changes would be added, of any tenant.
alter table storage_usage
  alter column used_bytes type numeric,
  alter column reserved_bytes type numeric;
