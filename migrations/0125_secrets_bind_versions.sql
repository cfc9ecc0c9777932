-- Values are sealed with the kind and version of their secret: those of an earlier version, copied back, cannot be
-- opened. Values of before stay as they are until they are replaced.
alter table secrets add column binds_version boolean not null default false;
