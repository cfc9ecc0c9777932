import type { RunGrid } from '@cogworks/sdk/contract.gen';
import type { RunEvent } from '@cogworks/sdk/run-events';
import { describe, expect, it } from 'vitest';
import { countBehind, nextFailure, orderOf } from './grid-order.ts';
import { GridRows, idOf } from './grid-rows.ts';

const nodes = [
  { node_key: 'read', group: 0, counts: {} },
  { node_key: 'check', group: 0, counts: {} },
  { node_key: 'gather', cell: 'p', counts: {} },
];

/** A grid of these rows: a letter for `read`, one for `check`. */
function gridOf(...cells: string[]): RunGrid {
  return {
    nodes,
    groups: [{ input: 'files', count: cells.length }],
    rows: cells.map((own, shard_index) => ({
      ...{ group: 0, shard_index, cells: `${own}-`, name: `Page ${shard_index}.txt` },
    })),
  };
}

function rowsOf(...cells: string[]): GridRows {
  const rows = new GridRows();
  rows.begin()(gridOf(...cells));
  return rows;
}

const event = (node_key: string, shard_index: number | undefined, status: string) =>
  ({
    event: 'node_run',
    data: { node_key, status, ...(shard_index === undefined ? {} : { shard_index }) },
  }) as RunEvent;

const cellsOf = (rows: GridRows) => [...rows.ids()].map((id) => rows.row(id)?.cells);

describe('the rows of a grid', () => {
  it('change by a cell with each event', () => {
    const rows = rowsOf('qp', 'qp');
    const before = rows.row(0);
    expect(rows.takeEvent(event('read', 1, 'failure'))).toBe(true);
    expect(rows.takeEvent(event('gather', undefined, 'running'))).toBe(true);
    expect(cellsOf(rows)).toEqual(['qp-', 'fp-']);
    expect(rows.row(0)).toBe(before);
    expect(rows.onceCells).toBe('--r');
    expect(rows.takeEvent(event('read', 1, 'failure'))).toBe(false);
    expect(rows.takeEvent(event('read', 7, 'failure'))).toBe(false);
    expect(rows.takeEvent(event('unknown', 1, 'failure'))).toBe(false);
  });

  it('keep what was told while an older answer was on its way', () => {
    const rows = rowsOf('qp', 'qp');
    const take = rows.begin();
    rows.takeEvent(event('read', 0, 'success'));
    take(gridOf('rp', 'rp'));
    expect(cellsOf(rows)).toEqual(['sp-', 'rp-']);
  });

  it('are old at once if they became so while the answer was on its way', () => {
    const rows = new GridRows();
    const take = rows.begin();
    rows.takeEvent({ event: 'reset', data: { reason: 'missed_changes' } });
    take(gridOf('qp', 'ss'));
    expect(rows.firstMissing(rows.ids())).toBe(0);
    rows.begin()(gridOf('ss', 'ss'));
    expect(rows.firstMissing(rows.ids())).toBeUndefined();
    expect(rows.isHeadOld).toBe(false);
  });

  it('of an answer from before the end are read again where they were open', () => {
    const rows = new GridRows();
    const take = rows.begin();
    rows.takeEnd();
    take({ ...gridOf('ss', 'sp'), nodes: nodes.slice(0, 2) });
    expect([...rows.ids()].filter((id) => rows.firstMissing([id]) !== undefined)).toEqual([1]);
  });

  it('are missing until they are read, and again once they are old', () => {
    const rows = new GridRows();
    rows.begin()({ ...gridOf('ss', 'ss'), groups: [{ input: 'files', count: 3 }] });
    expect(rows.firstMissing(rows.ids())).toBe(2);
    rows.takeEvent({ event: 'reset', data: { reason: 'test' } });
    expect(rows.firstMissing(rows.ids())).toBe(0);
    expect(cellsOf(rows)).toEqual(['ss-', 'ss-', undefined]);
  });

  it('are read again after the end where something was open', () => {
    const rows = rowsOf('ss', 'sq', 'fb');
    rows.takeEvent(event('gather', undefined, 'success'));
    rows.takeEnd();
    expect(rows.firstMissing([0])).toBeUndefined();
    expect(rows.firstMissing([2])).toBeUndefined();
    expect(rows.firstMissing([0, 1, 2])).toBe(1);
  });

  it('have their numbers by what is known of the groups before', () => {
    const rows = new GridRows();
    const groups = [{ input: 'a', count: 2 }, { input: 'b' }, { node_key: 'split', count: 3 }];
    rows.begin()({ nodes, groups, rows: [] });
    expect(rows.total).toBe(5);
    expect(rows.numberOf(idOf({ group: 2, shard_index: 1 }))).toBe(3);
  });
});

describe('their order', () => {
  it('has those with a failure first, unless it is that of the files', () => {
    const rows = rowsOf('ss', 'fb', 'ss', 'sf');
    expect(orderOf(rows, { isByFile: false })).toEqual([1, 3, 0, 2]);
    expect(orderOf(rows, { isByFile: true })).toEqual([0, 1, 2, 3]);
  });

  it('has only what is looked for, by state and by name in any case', () => {
    const rows = rowsOf('ss', 'fb', 'sr', 'qp');
    expect(orderOf(rows, { isByFile: true, state: 'running' })).toEqual([2]);
    expect(orderOf(rows, { isByFile: true, state: 'waiting' })).toEqual([3]);
    expect(orderOf(rows, { isByFile: true, state: 'done' })).toEqual([0]);
    expect(orderOf(rows, { isByFile: true, q: ' PAGE 3' })).toEqual([3]);
    expect(orderOf(rows, { isByFile: true, q: 'page', state: 'failed' })).toEqual([1]);
  });

  it('knows how many failed since', () => {
    const rows = rowsOf('fb', 'ss', 'rs', 'rs');
    const order = orderOf(rows, { isByFile: false });
    expect(countBehind(rows, order)).toBe(0);
    rows.takeEvent(event('read', 3, 'failure'));
    expect(countBehind(rows, order)).toBe(1);
  });

  it('leads from failure to failure, and back', () => {
    const rows = rowsOf('ff', 'ss', 'sf');
    const order = [0, 1, 2];
    const places = [
      { row: 0, column: 0 },
      { row: 0, column: 1 },
      { row: 2, column: 1 },
    ] as const;
    const [first, second, third] = places;
    expect(nextFailure(rows, order, { row: 0, column: -1 }, 1)).toEqual(first);
    expect(nextFailure(rows, order, first, 1)).toEqual(second);
    expect(nextFailure(rows, order, second, 1)).toEqual(third);
    expect(nextFailure(rows, order, third, 1)).toBeUndefined();
    expect(nextFailure(rows, order, third, -1)).toEqual(second);
    expect(nextFailure(rows, order, second, -1)).toEqual(first);
    expect(nextFailure(rows, order, first, -1)).toBeUndefined();
  });
});
