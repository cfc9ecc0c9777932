import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import {
  type Counts,
  countByNode,
  type NodeStatus,
  noteOf,
  runGraph,
  statusOfNode,
} from './run-status.ts';

const nodeRun = (node_key: string, status: NodeStatus, id = 1): NodeRun => ({
  id,
  node_key,
  title: node_key,
  status,
  attempt: 1,
  max_attempts: 1,
  cached: false,
  node_definition_id: 1,
  outputs: [],
});

describe('statusOfNode', () => {
  const table: [Counts, string][] = [
    [{}, 'pending'],
    [{ pending: 2 }, 'pending'],
    [{ queued: 3 }, 'queued'],
    [{ queued: 2, success: 1 }, 'running'],
    [{ running: 1, failure: 4 }, 'running'],
    [{ success: 5 }, 'success'],
    [{ success: 5, skipped: 1 }, 'success'],
    [{ success: 97, failure: 3 }, 'partial_success'],
    [{ failure: 2 }, 'failure'],
    [{ cancelled: 2, skipped: 1 }, 'cancelled'],
    [{ skipped: 2 }, 'skipped'],
  ];
  it.each(table)('of %o is %s', (counts, status) => expect(statusOfNode(counts)).toBe(status));
});

describe('noteOf', () => {
  const table: [Counts, string][] = [
    [{}, 'waiting'],
    [{ running: 1 }, 'running'],
    [{ success: 1 }, 'done'],
    [{ success: 97, failure: 3 }, '97 of 100 done · 3 failed'],
    [{ pending: 4, skipped: 1 }, '0 of 5 done · 1 skipped'],
    [{ success: 98_000, failure: 2000 }, '98,000 of 100,000 done · 2,000 failed'],
  ];
  it.each(table)('of %o says "%s"', (counts, note) => expect(noteOf(counts)).toBe(note));
});

it('counts the lanes of each node', () => {
  const runs = [nodeRun('a', 'success'), nodeRun('a', 'failure'), nodeRun('b', 'pending')];
  expect(Object.fromEntries(countByNode(runs))).toEqual({
    a: { success: 1, failure: 1 },
    b: { pending: 1 },
  });
});

it('draws inputs and nodes of one name apart', () => {
  const graph = {
    nodes: [{ key: 'files', node_definition_id: 1 }],
    edges: [{ from: { input: 'files' }, to: { node: 'files', port: 'in' } }],
    inputs: [{ name: 'files' }],
    variables: [],
  };
  const { nodes, edges } = runGraph(graph, [nodeRun('files', 'success')]);
  expect(nodes.map(({ key }) => key)).toEqual(['input:files', 'files']);
  expect(edges).toEqual([{ from: 'input:files', to: 'files' }]);
  expect(nodes[1]).toMatchObject({ status: 'success', shares: [{ status: 'success', share: 1 }] });
});
