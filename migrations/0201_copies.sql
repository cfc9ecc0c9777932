-- Apart from the indexes before: all of the service needs this table, and building those takes a while.

-- From which file a content was copied. No foreign key: a copy outlives what it was made of.
alter table cogs
  add column copied_from bigint,
  add column copied_from_version int,
  add constraint copies_tell_the_version
    check ((copied_from is null) = (copied_from_version is null));
alter table file_versions
  add column copied_from bigint,
  add column copied_from_version int;
