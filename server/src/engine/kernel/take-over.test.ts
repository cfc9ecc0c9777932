/** Restarts of chosen node runs: what a long list of them costs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeRunRow } from '../records.ts';
import type { Plan, PlannedNode } from './plan.ts';
import type { RunState } from './state.ts';
import { againOf, unreachableChoice } from './take-over.ts';

/** Nodes in a row, each per file of the node before. */
function chain(length: number): Plan {
  const nodes = Array.from({ length }, (_, position) => ({
    ...{ key: `n${position}`, position },
    incoming: position === 0 ? [] : [{ source: position - 1, role: 'same_lane' }],
  })) as unknown as PlannedNode[];
  return { nodes, byKey: new Map(nodes.map((node) => [node.key, node])) } as unknown as Plan;
}

describe('a restart of many chosen node runs', () => {
  it('lists the same lanes once, however many nodes follow', () => {
    const only = Array.from({ length: 5 }, (_, shard_index) => ({ node_key: 'n0', shard_index }));
    const [first, ...others] = againOf(chain(4), [...only, { node_key: 'n2', shard_index: 3 }]);
    assert.deepEqual(first, new Set([0, 1, 2, 3, 4]));
    assert.equal(others[0], first);
    assert.deepEqual(others[1], first);
    assert.equal(others[2], others[1]);
    assert.deepEqual(
      againOf(chain(2), [...only, { node_key: 'n1', shard_index: 9 }])[1],
      new Set([9, 0, 1, 2, 3, 4]),
    );
  });

  it('looks at each lane of a node once, however often that is chosen', () => {
    const cutOff = { status: 'skipped', skip_reason: 'upstream_failed' };
    let looks = 0;
    const unreachable = (statuses: object[], only: RunState['run']['restart_only']) => {
      const state = {
        ...{ run: { restart_only: only }, plan: chain(1), firstIds: [1] },
        counts: [{ expected: statuses.length }],
        rows: {
          get(id: number) {
            looks += 1;
            return statuses[id - 1] as NodeRunRow;
          },
        },
      };
      return unreachableChoice(state as unknown as RunState);
    };
    const often = Array.from({ length: 1000 }, () => ({ node_key: 'n0' }));
    const lanes = [...Array.from({ length: 99 }, () => cutOff), { status: 'success' }];

    assert.equal(unreachable(lanes, often), undefined);
    assert.equal(looks, 100);
    assert.equal(unreachable(lanes, [...often, { node_key: 'n0', shard_index: 98 }]), 1000);
    assert.equal(unreachable(lanes, [...often, { node_key: 'n0', shard_index: 99 }]), undefined);
    assert.equal(unreachable([cutOff, cutOff], often), 0);
    assert.equal(unreachable([], often), undefined);
  });
});
