import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readsOf } from '../../../test/plans.ts';
import { folderOfFiles, stage, versionOf } from '../../../test/runs.ts';
import { statementsOf } from '../../../test/statements.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

async function manyRuns() {
  const people = await stage();
  const { owner, server } = people;
  const node = await registerNode(owner);
  const version = await versionOf(owner, mappedGraph(node));
  const folder = await folderOfFiles(server, owner, 3);
  const { body } = await owner.post(`/workflows/workflow-versions/${version}/run`, {
    cog_ids: [folder],
  });
  assert.equal(body.workflow_run_id > 0, true, JSON.stringify(body));
  const run = body.workflow_run_id as number;
  const { db } = server.services;
  await db`
    insert into workflow_runs
      (tenant_id, workflow_id, workflow_version_id, status, extra_variables, started_by, test_run,
       graph_hash, node_counts, first_ids, finished_at)
    select tenant_id, workflow_id, workflow_version_id, 'success', '{}', started_by, false,
           graph_hash, node_counts, array[-10 * n], now()
    from workflow_runs, generate_series(1, 10000) as n
    where id = ${run}
  `;
  await db`
    insert into begun_node_runs (id, tenant_id, run_id, node_key, status)
    select -n - id * 1000000, tenant_id, id, 'each', 'success'
    from workflow_runs, generate_series(1, 100000) as n
    where id = ${run}
  `;
  await db`analyze workflow_runs, begun_node_runs`;
  return { ...people, run };
}

describe('among a hundred thousand node runs', () => {
  it('those of one run are looked up by their ids', async () => {
    const { owner, server, run } = await manyRuns();

    const { texts } = await statementsOf(server, () =>
      owner.get(`/workflows/workflow-runs/${run}/node-runs`),
    );
    const reads = await readsOf('begun_node_runs', server.to, texts);

    assert.equal(reads.length, 1);
    assert.match(reads[0]?.['Index Cond'] ?? 'none', /^\(id = /);
  });

  it('those that use a page of files are looked up by their ids', async () => {
    const { owner, server, run } = await manyRuns();

    const { texts } = await statementsOf(server, () =>
      owner.get(`/workflows/workflow-runs/${run}/files`),
    );
    const reads = await readsOf('begun_node_runs', server.to, texts);

    assert.equal(reads.length, 1);
    assert.match(reads[0]?.['Index Cond'] ?? 'none', /^\(id = /);
  });

  it('runs of one state, of one workflow or of one user are read along an index', async () => {
    const { owner, server } = await manyRuns();
    const indexes: Record<string, string | undefined> = {};
    for (const asked of [
      '',
      'status=failure',
      'status=running',
      'workflow_id=9',
      'trigger_id=9',
      'started_by=9',
    ]) {
      const { texts } = await statementsOf(server, () =>
        owner.get(`/workflows/workflow-runs?${asked}`),
      );
      const reads = await readsOf('workflow_runs', server.to, texts);
      indexes[asked] = reads.map((read) => read['Index Name']).join();
    }

    assert.deepEqual(indexes, {
      '': 'workflow_runs_tenant_id_id_key',
      'status=failure': 'workflow_runs_without_success',
      'status=running': 'workflow_runs_under_way',
      'workflow_id=9': 'workflow_runs_by_workflow',
      'trigger_id=9': 'workflow_runs_by_trigger',
      'started_by=9': 'workflow_runs_by_starter',
    });
  });
});
