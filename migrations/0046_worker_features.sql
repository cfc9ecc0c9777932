-- What a worker can do besides its size. Work that needs it waits for a worker that has it, instead
-- of failing on one that has not. Workers of an earlier release say nothing and are taken to have all.
alter table workers add column features jsonb not null default '["egress"]';
alter table ready_queue add column egress boolean not null default false;

update ready_queue
set egress = true
from node_runs
join run_nodes using (tenant_id, run_id, node_key)
join node_definitions on node_definitions.id = run_nodes.node_definition_id
where node_runs.id = ready_queue.node_run_id and node_definitions.network = 'egress';
