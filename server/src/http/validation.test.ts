import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../test/cast.ts';
import { registerNode } from '../../test/workflows.ts';

const post = async (count: number) => {
  const { owner } = await cast();
  const nodes = Array.from({ length: count }, () => 0);
  return owner.post('/workflows', {
    name: 'x',
    graph: { nodes, edges: [], inputs: [], variables: [] },
  });
};

describe('a body nested without end', () => {
  it('is refused, wherever any JSON is taken', async () => {
    const { owner } = await cast();
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const node = `{"key":"a","node_definition_id":1,"params":{"deep":${deep}}}`;
    const answer = await owner.fetch('/workflows', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"name":"x","graph":{"nodes":[${node}],"edges":[],"inputs":[],"variables":[]}}`,
    });
    assert.equal(answer.status, 422);
    assert.match(await answer.text(), /nested more than 200 levels/);
  });
});

describe('a body with many faults', () => {
  it('is told a hundred of them, and how many more there are', async () => {
    const { status, body } = await post(20_000);
    assert.equal(status, 422);
    assert.equal(body.detail.length, 100);
    assert.equal(body.more_faults, 19_900);
  });

  it('is told all of a hundred', async () => {
    const { body } = await post(100);
    assert.equal(body.detail.length, 100);
    assert.equal(body.more_faults, undefined);
  });

  it('is not told back a key that is as long as the body', async () => {
    const { owner } = await cast();
    const { status, body } = await owner.post('/cogs', { ['k'.repeat(500_000)]: 1 });
    assert.equal(status, 422);
    assert.ok(JSON.stringify(body).length < 5000);
  });

  it('is told of its variables in the same way', async () => {
    const { owner } = await cast();
    const graph = {
      nodes: [{ key: 'a', node_definition_id: await registerNode(owner, { inputs: [] }) }],
    };
    const version = (await owner.post('/workflows', { name: 'x', graph: { ...graph, edges: [] } }))
      .body.latest_version_id;
    const names = Array.from({ length: 50_000 }, (_, index) => [`v${index}`, 1]);
    const { status, body } = await owner.post(`/workflows/workflow-versions/${version}/run`, {
      cog_ids: [],
      extra_variables: Object.fromEntries(names),
    });
    assert.equal(status, 422);
    assert.deepEqual([body.detail.length, body.more_faults], [100, 49_900]);
  });

  it('is told the first alone when it is large, or one request would fill the memory', async () => {
    const { status, body } = await post(200_000);
    assert.equal(status, 422);
    assert.deepEqual(
      body.detail.map((fault: { loc: unknown }) => fault.loc),
      [['body', 'graph', 'nodes', 0]],
    );
  });
});
