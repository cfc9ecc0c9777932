/** A run of 10,000 files × 20 steps: started by the API, and its rows written into the tables. */
import type { Connection } from '../../../server/src/db/connection.ts';
import type { Api } from '../http.ts';
import { insertFiles } from '../many-files.ts';

const registry = 'bench.example';

/** A version whose steps all run for each file. */
export async function versionOf(api: Api, steps: number): Promise<number> {
  await api('POST', '/secrets/', {
    name: 'BENCH',
    kind: 'registry',
    value: { server: registry, username: 'user', password: 'password' },
  });
  const { id } = await api('POST', '/node_definitions/', {
    name: 'each',
    version: '1',
    image: `${registry}/nothing:1`,
    command: ['true'],
    inputs: [{ name: 'in', cardinality: 'one' }],
    outputs: [],
    resources: { cpu: 0.01, memory_mb: 16, gpu: 0, disk_mb: 1 },
  });
  const keys = Array.from({ length: steps }, (_, at) => `step_${at + 1}`);
  const made = await api('POST', '/workflows/', {
    name: 'Grid',
    graph: {
      nodes: keys.map((key, at) => ({
        ...{ key, title: `Step ${at + 1} of the pages`, node_definition_id: id, map: true },
      })),
      edges: keys.map((node) => ({ from: { input: 'files' }, to: { node, port: 'in' } })),
      inputs: [{ name: 'files' }],
      variables: [],
    },
  });
  return made.latest_version_id;
}

/** @returns the folder with that many files. */
export async function folderOf(api: Api, db: Connection, files: number): Promise<number[]> {
  const { id: parentId } = await api('GET', '/cogs/root');
  const [root] = await db<{ tenant_id: number }[]>`
    select tenant_id from cogs where id = ${parentId}
  `;
  const place = { tenantId: root?.tenant_id ?? 0, parentId };
  return insertFiles(db, { ...place, folders: 1, perFolder: files });
}

export async function startRun(api: Api, version: number, cog_ids: number[]): Promise<number> {
  const path = `/workflows/workflow-versions/${version}/run`;
  return (await api('POST', path, { cog_ids })).workflow_run_id;
}

/** As if it had ended: every fiftieth file failed at one step, and was not worked on after that. */
export async function endRun(db: Connection, runId: number): Promise<void> {
  await db.script(`
    begin;
    set local session_replication_role = replica;
    delete from ready_queue using begun_node_runs as begun
    where begun.id = ready_queue.node_run_id and begun.run_id = ${runId};
    delete from begun_node_runs where run_id = ${runId};
    insert into begun_node_runs
      (id, tenant_id, run_id, node_key, shard_index, status, attempt, exit_code, error_class,
       error_message, skip_reason, queued_at, started_at, finished_at)
    select first_id + lane, tenant_id, ${runId}, node_key, lane,
      case when lane % 50 = 7 and place = failing then 'failure'
        when lane % 50 = 7 and place > failing then 'skipped' else 'success' end,
      1, case when lane % 50 = 7 and place = failing then 3 else 0 end,
      case when lane % 50 = 7 and place = failing then 'exit_nonzero' end,
      case when lane % 50 = 7 and place = failing then 'exit code 3' end,
      case when lane % 50 = 7 and place > failing then 'upstream_failed' end,
      now(), now(), now()
    from (
      select run.tenant_id, node.first_id, node.node_key, node.position as place,
        lane, lane / 50 % 20 as failing
      from workflow_runs as run
      join run_nodes as node on node.tenant_id = run.tenant_id and node.run_id = run.id
      cross join lateral generate_series(0, node.expected - 1) as lane
      where run.id = ${runId}
    ) as cells;
    update workflow_runs set
      status = 'partial_success', started_at = now(), finished_at = now(), progress_percentage = 100,
      error_message = '2 of 100 files failed', node_counts = (
        select array_agg(count order by position, place)
        from (
          select node.position, counted.place, counted.count
          from run_nodes as node
          cross join lateral (
            select count(*) filter (where status = 'success')::int as well,
              count(*) filter (where status = 'failure')::int as badly,
              count(*) filter (where status = 'skipped')::int as not_at_all
            from begun_node_runs
            where run_id = ${runId} and node_key = node.node_key
          ) as done
          cross join lateral unnest(
            array[node.expected, node.expected, 0, well, badly, 0, 0, not_at_all, 0]
          ) with ordinality as counted (count, place)
          where node.run_id = ${runId}
        ) as counts
      )
    where id = ${runId};
    commit;
  `);
  await db.script('vacuum (analyze) begun_node_runs');
}
