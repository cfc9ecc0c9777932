-- Deliveries of one verdict: their list, and how many came lately.
create index deliveries_by_verdict on deliveries (tenant_id, trigger_id, verdict, id);
