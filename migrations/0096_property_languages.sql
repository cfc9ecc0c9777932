-- The language of a property that a WebDAV client set (RFC 4918, section 4.3), if it told one.
alter table dav_properties
  add column lang text check (length(lang) between 1 and 100);
