import { expect, it } from 'vitest';
import { type Chosen, cellKey, noneChosen, onceRow, toRunAgain, unreadIn } from './chosen.ts';
import { GridRows } from './grid-rows.ts';

/** read → check → gather, the first two for each file. */
const graph = {
  nodes: ['read', 'check', 'gather'].map((key) => ({ key, node_definition_id: 1 })),
  edges: [
    { from: { input: 'files' }, to: { node: 'read', port: 'in' } },
    { from: { node: 'read', port: 'out' }, to: { node: 'check', port: 'in' } },
    { from: { node: 'check', port: 'out' }, to: { node: 'gather', port: 'in' } },
  ],
  inputs: [{ name: 'files' }],
  variables: [],
};

const rows = new GridRows();
rows.begin()({
  nodes: [
    { node_key: 'read', group: 0, counts: {} },
    { node_key: 'check', group: 0, counts: {} },
    { node_key: 'gather', cell: 's', counts: {} },
  ],
  groups: [{ input: 'files', count: 3 }],
  rows: ['ss-', 'sf-', 'fb-'].map((cells, shard_index) => ({ group: 0, shard_index, cells })),
});

const again = (chosen: Partial<Chosen>) => toRunAgain(rows, graph, { ...noneChosen, ...chosen });

it('a row that failed runs from its failure on, any other from its start', () => {
  expect(again({ rows: new Set([0, 1, 2]) })).toEqual([
    { node_key: 'read', shard_index: 0 },
    { node_key: 'check', shard_index: 1 },
    { node_key: 'read', shard_index: 2 },
  ]);
});

it('a cell runs alone, and is not named if it follows from another', () => {
  const [read, check] = [cellKey(0, 0), cellKey(0, 1)];
  expect(again({ cells: new Set([check]) })).toEqual([{ node_key: 'check', shard_index: 0 }]);
  expect(again({ cells: new Set([check, read]) })).toEqual([{ node_key: 'read', shard_index: 0 }]);
});

it('what has no cell is left out, and what was not read is told', () => {
  const none = [cellKey(0, 2), cellKey(onceRow, 0)];
  expect(again({ cells: new Set([...none, cellKey(1, 1)]) })).toEqual([
    { node_key: 'check', shard_index: 1 },
  ]);
  const chosen = { rows: new Set([1, 7]), cells: new Set([cellKey(8, 0), cellKey(onceRow, 2)]) };
  expect(unreadIn(rows, chosen)).toEqual([7, 8]);
});

it('a step that runs once has no lane', () => {
  expect(again({ cells: new Set([cellKey(onceRow, 2)]) })).toEqual([{ node_key: 'gather' }]);
});
