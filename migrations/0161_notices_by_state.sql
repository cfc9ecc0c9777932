-- The messages of a notice are listed by their state as well: among a million, those that failed were searched for a
-- second.
create index notice_deliveries_by_state on notice_deliveries (tenant_id, notice_id, state, id);
