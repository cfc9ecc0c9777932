-- The audit trail in the order in which it is listed, by time, along each of its filters: a page is as fast among a
-- million events as among a few. Actions are compared by their bytes, so that those that begin alike are neighbours.
create index audit_events_in_order on audit_events (tenant_id, created_at desc, id desc);
create index audit_events_by_action on audit_events (tenant_id, action collate "C", created_at desc, id desc);
create index audit_events_by_actor
  on audit_events (tenant_id, actor_id, action collate "C", created_at desc, id desc) where actor_id is not null;
create index audit_events_of_target
  on audit_events (tenant_id, target_type, target_id, created_at desc, id desc);
-- Last, because from here on nobody can read the events; while indexes are built, only writers wait.
drop index audit_events_by_target;
drop index audit_events_by_time;
alter index audit_events_of_target rename to audit_events_by_target;
