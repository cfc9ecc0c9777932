import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../test/cast.ts';
import { registerNode } from '../../../test/workflows.ts';

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
