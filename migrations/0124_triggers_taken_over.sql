-- A trigger that an admin made another user's stays off until somebody with that one's rights turns it on.
alter table triggers
  drop constraint triggers_off_reason_check,
  add constraint triggers_off_reason_check
    check (off_reason in ('run_as_disabled', 'refused_repeatedly', 'taken_over'));
