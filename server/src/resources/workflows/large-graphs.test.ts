import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../test/cast.ts';
import { mappedGraph, registerNode, storeCredentials } from '../../../test/workflows.ts';

/** A draft of this graph. @returns the path of its version. */
async function draft(owner: Client, graph: unknown): Promise<string> {
  const { status, body } = await owner.post('/workflows', { name: 'Large', graph });
  assert.equal(status, 201, JSON.stringify(body));
  return `/workflows/workflow-versions/${body.latest_version_id}`;
}

describe('a graph with many faults', () => {
  it('is told a hundred errors and warnings, and how many more there are', async () => {
    const { owner } = await cast();
    const node_definition_id = await registerNode(owner);
    const nodes = Array.from({ length: 300 }, (_, at) => ({ key: `n${at}`, node_definition_id }));
    const variables = nodes.map(({ key }) => ({ variable_name: key, type: 'string' }));
    const path = await draft(owner, { nodes, variables });

    const { body } = await owner.post(`${path}/validate`);
    assert.deepEqual([body.errors.length, body.more_errors], [100, 200]);
    assert.deepEqual([body.warnings.length, body.more_warnings], [100, 200]);

    const published = await owner.post(`${path}/publish`);
    assert.equal(published.status, 422);
    assert.deepEqual([published.body.detail.length, published.body.more_faults], [100, 200]);
  });

  it('is not told back its own megabytes', async () => {
    const { owner } = await cast();
    const node_definition_id = await registerNode(owner);
    const params = { ['k'.repeat(200_000)]: Array.from({ length: 200 }, () => '{{wrong}}') };
    const path = await draft(owner, { nodes: [{ key: 'a', node_definition_id, params }] });
    const { body } = await owner.post(`${path}/validate`);
    assert.equal(body.errors.length, 100);
    assert.ok(JSON.stringify(body).length < 400_000);
  });
});

describe('a list', () => {
  it('of versions has no graphs, and says how large they are', async () => {
    const { owner } = await cast();
    const graph = mappedGraph(await registerNode(owner));
    const { body } = await owner.post('/workflows', { name: 'Listed', graph });

    const list = await owner.get(`/workflows/${body.id}/versions`);
    assert.equal(list.status, 200);
    assert.deepEqual(Object.keys(list.body[0]).sort(), [
      'created_at',
      'created_by',
      'graph_hash',
      'id',
      'input_count',
      'node_count',
      'state',
      'version_number',
      'workflow_id',
    ]);
    assert.deepEqual([list.body[0].node_count, list.body[0].input_count], [1, 1]);
    const one = await owner.get(`/workflows/workflow-versions/${list.body[0].id}`);
    assert.deepEqual(one.body.graph.nodes, graph.nodes);
  });

  it('of large definitions or runs ends a page early, and leads on to the next', async () => {
    const { owner, admin } = await cast();
    await storeCredentials(admin);
    const description = 'x'.repeat(900_000);
    const params = { type: 'object', description };
    const definitions = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(() => registerNode(owner, { params, inputs: [] })),
    );
    await assertAllListed(owner, '/node_definitions?limit=1000', definitions);

    const names = Array.from({ length: 16 }, (_, at) => `v${at}`);
    const version = await draft(owner, {
      nodes: [{ key: 'a', node_definition_id: definitions[0] }],
      variables: names.map((variable_name) => ({ variable_name, type: 'string' })),
    });
    const extra_variables = Object.fromEntries(names.map((name) => [name, 'x'.repeat(60_000)]));
    const runs = await Promise.all(
      definitions.map(async () => {
        const started = await owner.post(`${version}/run`, { cog_ids: [], extra_variables });
        assert.equal(started.status, 202, JSON.stringify(started.body));
        return started.body.workflow_run_id;
      }),
    );
    await assertAllListed(owner, '/workflows/workflow-runs?limit=1000', runs);
  });
});

/** Follows a list to its end: every page within bounds, and nothing left out or told twice. */
async function assertAllListed(owner: Client, path: string, ids: number[]) {
  const found: number[] = [];
  let pages = 0;
  for (let next: string | undefined = path; next !== undefined; pages += 1) {
    const { status, body, headers } = await owner.get(next);
    assert.equal(status, 200);
    assert.ok(JSON.stringify(body).length < 6_000_000);
    found.push(...body.map((row: { id: number }) => row.id));
    const link = /<https?:\/\/[^/]+([^>]+)>/.exec(headers.get('link') ?? '');
    next = link?.[1];
  }
  assert.equal(pages, 2);
  assert.deepEqual(
    found.toSorted((a, b) => a - b),
    ids.toSorted((a, b) => a - b),
  );
}
