-- A notice without a URL comes by mail, to who made it.
alter table notices
  alter column url drop not null,
  add column by_mail boolean not null generated always as (url is null) stored;

-- How many mails of notices a user was sent since then. A row is used again after an hour.
create table notice_mails (
  tenant_id bigint not null,
  user_id   bigint not null,
  since     timestamptz(3) not null,
  count     int not null check (count >= 0),

  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
