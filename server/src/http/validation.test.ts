import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../test/cast.ts';

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
  it('is told them all', async () => {
    const { status, body } = await post(20_000);
    assert.equal(status, 422);
    assert.equal(body.detail.length, 20_000);
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
