import type { NodeRun } from '@cogworks/sdk/contract.gen';
import type { RunEvent, ToldNode } from '@cogworks/sdk/run-events';
import { describe, expect, it } from 'vitest';
import { byUrgency, placeOf, withEvents } from './node-run-list.ts';

const row = (id: number, status: NodeRun['status'], over: Partial<NodeRun> = {}): NodeRun => ({
  ...{ id, node_key: 'each', title: 'Each', status, attempt: 1, max_attempts: 1, cached: false },
  ...{ node_definition_id: 1, outputs: [] },
  ...over,
});

function told(id: number, status: NodeRun['status']): RunEvent {
  const { outputs: _, ...data } = row(id, status);
  return { event: 'node_run', data };
}

describe('placeOf', () => {
  const node = (node_key: string, expected: number | null) => ({ node_key, expected }) as ToldNode;
  const nodes = [node('split', 1), node('unknown', null), node('each', 12_000), node('gather', 1)];
  const table: [string | undefined, number, number][] = [
    [undefined, 0, 12_002],
    ['split', 0, 1],
    ['unknown', 1, 0],
    ['each', 1, 12_000],
    ['gather', 12_001, 1],
    ['nowhere', 0, 0],
  ];
  it.each(table)('of %s begins at %i and has %i', (key, offset, total) =>
    expect(placeOf(nodes, key)).toEqual({ offset, total }),
  );
});

describe('withEvents', () => {
  const rows = [row(1, 'queued', { cog_id: 5 }), row(2, 'queued')];

  it('has the newest status of each row, and what only reading tells', () => {
    const events = [told(1, 'running'), told(1, 'success'), told(3, 'running')];
    expect(withEvents(rows, events)).toEqual([row(1, 'success', { cog_id: 5 }), rows[1]]);
  });

  it('is the same list when no event is about it', () => {
    const log: RunEvent = { event: 'log', data: { node_run_id: 1, attempt: 1, size_bytes: 9 } };
    expect(withEvents(rows, [told(3, 'running'), log])).toBe(rows);
  });
});

it('lists failed and running steps first', () => {
  const rows = [row(1, 'success'), row(2, 'running'), row(3, 'failure'), row(4, 'failure')];
  expect(byUrgency(rows).map(({ id }) => id)).toEqual([3, 4, 2, 1]);
});
