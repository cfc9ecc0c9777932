-- Which storage holds this installation's bytes: a process that has another folder before it must
-- not take all files for gone. Null until the first start of `serve` on this release.
alter table installation add column storage_id uuid;
