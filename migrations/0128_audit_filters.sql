-- What happened to one thing, and in a time; other filters of the audit trail are read along its order.
create index audit_events_by_target on audit_events (tenant_id, target_type, target_id, id desc);
create index audit_events_by_time on audit_events (tenant_id, created_at);
