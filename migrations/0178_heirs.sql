-- Who has taken over what a disabled user has: also what their runs deliver later.
alter table users add column successor_id bigint;
alter table users
  add constraint users_successor_fkey foreign key (tenant_id, successor_id) references users (tenant_id, id),
  add constraint only_disabled_users_have_a_successor check (successor_id is null or status = 'disabled'),
  add constraint users_do_not_succeed_themselves check (successor_id <> id);
create index users_by_successor on users (tenant_id, successor_id) where successor_id is not null;

update users
set successor_id = successions.successor_id
from successions
where users.tenant_id = successions.tenant_id and users.id = successions.user_id
  and users.status = 'disabled';
