/** Writes a long queue into a filled installation: much of one tenant's, and a little of many others'. */
import type { Connection } from '../../../server/src/db/connection.ts';
import { lanes } from './fill.ts';

/** The first tenant's runs over a hundred lanes, and a run of each of so many new tenants. */
export type QueueSizes = { rows: number; tenants: number };

export async function fillQueue(db: Connection, { rows, tenants }: QueueSizes): Promise<void> {
  const runs = Math.ceil(rows / lanes);
  await db.script(`
    begin;
    set local session_replication_role = replica;
    create temporary table source on commit drop as
      select distinct on (cardinality(first_ids)) *
      from workflow_runs
      where tenant_id = (select min(id) from tenants) and cardinality(first_ids) in (2, 3)
      order by cardinality(first_ids), id;
    create temporary table new_tenants on commit drop as
      select nextval(pg_get_serial_sequence('tenants', 'id')) as id from generate_series(1, ${tenants});
    insert into tenants (id, name, sealed_key) overriding system value
    select new_tenants.id, 'Waiting ' || new_tenants.id, first.sealed_key
    from new_tenants, (select sealed_key from tenants order by id limit 1) as first;
    insert into run_graphs
    select new_tenants.id, hash, graph, node_keys, definition_ids, mapped, lane_inputs
    from new_tenants, run_graphs, source
    where cardinality(source.first_ids) = 3 and run_graphs.tenant_id = source.tenant_id
      and hash = source.graph_hash;
    create temporary table waiting on commit drop as
      select nextval(pg_get_serial_sequence('workflow_runs', 'id')) as id, source.tenant_id, ${lanes} as lanes
      from source, generate_series(1, ${runs}) where cardinality(first_ids) = 2
      union all
      select nextval(pg_get_serial_sequence('workflow_runs', 'id')), new_tenants.id, 1 from new_tenants;
    alter table waiting add column first_id bigint;
    update waiting
    set first_id = ids.first + id * ${lanes + 1}
    from (select nextval('node_run_id_blocks') * 262144 as first) as ids;
    select setval('node_run_id_blocks', (select max(first_id) / 262144 + 2 from waiting));
    insert into workflow_runs
      (id, tenant_id, workflow_id, workflow_version_id, status, extra_variables, started_by, test_run,
       graph_hash, node_counts, first_ids)
    overriding system value
    select waiting.id, waiting.tenant_id, workflow_id, workflow_version_id, 'queued', '{}', started_by, false,
      graph_hash,
      case lanes when 1 then '{1,1,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0}'::int[]
        else '{${lanes},${lanes},0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0}'::int[] end,
      case lanes when 1 then array[first_id, first_id + 1, first_id + 2] else array[first_id, first_id + ${lanes}] end
    from waiting
    join source on cardinality(source.first_ids) = case lanes when 1 then 3 else 2 end;
    insert into begun_node_runs (id, tenant_id, run_id, node_key, shard_index, status, queued_at)
    select first_id + lane, tenant_id, id, case lanes when 1 then 'a' else 'lane' end,
      case when lanes > 1 then lane end, 'queued', now()
    from waiting cross join lateral generate_series(0, lanes - 1) as lane;
    insert into ready_queue (node_run_id, tenant_id, run_id, band, cpu, memory_mb, gpu, disk_mb)
    select first_id + lane, tenant_id, id, 1, 0.01, 16, 0, 1
    from waiting cross join lateral generate_series(0, lanes - 1) as lane;
    commit`);
  await db.script('vacuum (analyze) ready_queue');
}
