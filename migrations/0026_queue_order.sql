-- Within a band the oldest run goes first, so that lanes which a fan-out opened late are not
-- behind the work of newer runs. Nobody avoids workers any more: leases see to that.
drop index ready_queue_in_order;
alter table ready_queue drop column avoid;
create index ready_queue_in_order on ready_queue (band, run_id, node_run_id);
