-- Mails that are to be sent: written in the transaction of what they tell, removed when the mail server has them.
create table mails (
  id            uuid primary key,
  tenant_id     bigint not null references tenants,
  -- What it is about. If that ends before the mail is sent, nobody needs it any more.
  invitation_id bigint not null,
  -- Whom it goes to and what it says, sealed: it holds a link that makes somebody a user.
  sealed        bytea not null,
  created_at    timestamptz(3) not null default now(),
  tries         int not null default 0,
  next_try_at   timestamptz(3) not null default now(),

  foreign key (tenant_id, invitation_id) references invitations (tenant_id, id)
);
create index mails_by_time on mails (next_try_at);
