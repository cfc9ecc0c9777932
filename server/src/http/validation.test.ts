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
