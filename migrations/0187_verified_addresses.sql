-- Whether an address is known to belong to its user: an identity provider has verified it, or an operator named it. Not
-- if it was only invited: the inviter has the link as well. Null: not noted, for users of an external provider from before.
alter table users add column email_verified boolean;

update users
set email_verified = case
  when subject like 'awaited:%' then true
  when issuer = 'embedded' then
    not exists (
      select from invitations
      where invitations.tenant_id = users.tenant_id and user_id = users.id
    )
    -- Moved here from an external provider.
    and not exists (
      select from audit_events
      where audit_events.tenant_id = users.tenant_id and target_type = 'user'
        and target_id = users.id::text and action = 'user.issuer_changed'
    )
  -- There only a verified address is invited.
  else nullif(
    exists (
      select from invitations
      where invitations.tenant_id = users.tenant_id and user_id = users.id
    ),
    false
  )
end;
