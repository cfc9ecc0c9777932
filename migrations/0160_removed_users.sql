-- Users who were removed for good. The row stays for all that refers to it, with their name; the address is free again,
-- and there is no way to sign in.
alter table users add column removed_at timestamptz(3);
alter table users add constraint removed_users_are_disabled
  check (removed_at is null or status = 'disabled');
