-- An address is how users of the embedded provider sign in, and how somebody awaited from an
-- external one is recognised; there it stays unique. Users who came from an external provider
-- are known by (issuer, subject): their address may be missing or shared, and whoever claims
-- one first must not be able to lock its owner out.
drop index users_email_unique_per_issuer;
create unique index users_email_unique_per_issuer on users (issuer, lower(email))
  where issuer = 'embedded' or subject like 'awaited:%';
create index users_by_email on users (lower(email));

alter table users
  drop constraint users_email_check,
  add constraint users_email_check check (length(email) <= 320),
  add constraint users_sign_in_by_email check (email <> '' or issuer <> 'embedded');
