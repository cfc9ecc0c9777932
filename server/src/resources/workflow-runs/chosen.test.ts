import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Plan } from '../../engine/kernel/plan.ts';
import { requireAllAgain } from './chosen.ts';

it('reads the params of a graph once, however many variables a restart changes', () => {
  let reads = 0;
  const node = {
    ...{ key: 'one', position: 0, incoming: [], definition: { command: ['{{vars.v1}}'] } },
    node: {
      when: 'vars.v2 > 1',
      get params() {
        reads += 1;
        return { width: '{{vars.v3}}' };
      },
    },
  };
  const plan = { nodes: [node], byKey: new Map([['one', node]]) } as unknown as Plan;
  const changed = new Set(Array.from({ length: 500 }, (_, at) => `v${at}`));
  const only = [{ node_key: 'one', shard_index: 0 }];

  assert.throws(
    () => requireAllAgain(plan, changed, only),
    ({ fields }: { fields: { loc: unknown[] }[] }) => {
      assert.deepEqual(
        fields.map(({ loc }) => loc.at(-1)),
        ['v1', 'v2', 'v3'],
      );
      return true;
    },
  );
  assert.equal(reads, 1);
});
