import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Graph } from '@cogworks/graph/types';
import type { NodeDefinition } from '../../resources/node_definitions/schema.ts';
import type { NodeRunRow, RunRow } from '../records.ts';
import { begin, beginningState } from './begin.ts';
import { eventsOf } from './events.ts';
import { lease } from './lease.ts';
import { planGraph } from './plan.ts';
import type { RunState } from './state.ts';
import { cancel } from './stop.ts';

const definition = {
  ...{ id: 1, name: 'x', version: '1', image: 'x', command: ['x'], params: {}, network: 'none' },
  inputs: [{ name: 'in', cardinality: 'one' }],
  outputs: [{ name: 'out', glob: '*', cardinality: 'one' }],
  resources: { cpu: 1, memory_mb: 64, gpu: 0, disk_mb: 64 },
  retry: { max_attempts: 3, on: [] },
  timeout_seconds: 60,
} as unknown as NodeDefinition;
const graph = {
  nodes: [{ key: 'each', title: 'Each', node_definition_id: 1, map: true }],
  edges: [{ from: { input: 'files' }, to: { node: 'each', port: 'in' } }],
  inputs: [{ name: 'files' }],
  variables: [],
} as Graph;
const plan = planGraph(graph, new Map([[1, definition]]));
const [created, later] = ['2026-11-22T10:00:00.000Z', '2026-11-22T10:00:01.000Z'];

/** A run over `files` files, after its first decision. */
function begun(files: number): RunState {
  const run = { id: 7, tenant_id: 3, status: 'queued', created_at: created } as RunRow;
  const state = beginningState(run, plan, new Map([['files', files]]), created);
  const asking = begin(state);
  for (let step = asking.next(); !step.done; step = asking.next()) state.firstReserved = 100;
  return state;
}

/** The same run at the start of its next decision. */
const next = (state: RunState): RunState => ({
  ...state,
  now: later,
  changes: { ...begun(0).changes, run: false, rows: new Set(), ready: [] },
});

const leaseAll = (state: RunState) => {
  for (const row of [...state.rows.values()])
    lease(state, row, { attempt_id: row.id, lease_token: 'x', worker_id: 5 });
};

describe('what is told after a decision', () => {
  it('is the run that begins, and what is queued of it', () => {
    const events = eventsOf(begun(2), true);

    assert.deepEqual([events?.tenant_id, events?.run_id, events?.is_last], [3, 7, false]);
    assert.equal(events?.run?.status, 'queued');
    assert.deepEqual(JSON.parse(JSON.stringify(events?.details)), [
      queuedAs(100, 0),
      queuedAs(101, 1),
    ]);
  });

  it('is the run when its status changes, and not at every step', () => {
    const state = next(begun(2));
    const [first, second] = [...state.rows.values()] as [NodeRunRow, NodeRunRow];
    const worker = { attempt_id: 1, lease_token: 'x', worker_id: 5 };
    lease(state, first, worker);
    const started = eventsOf(state, false);
    assert.equal(started?.run?.status, 'running');
    assert.deepEqual(
      started?.details.map(({ event, data }) => [event, 'id' in data && data.status]),
      [['node_run', 'running']],
    );

    const after = { ...next(state), now: '2026-11-22T10:00:02.000Z' };
    lease(after, second, { ...worker, attempt_id: 2 });
    const step = eventsOf(after, false);
    assert.equal(step?.run, undefined);
    assert.equal(step?.details.length, 1);
  });

  it('is nothing when nothing changed', () => {
    assert.equal(eventsOf(next(begun(2)), false), undefined);
  });

  it('is not each of very many node runs, but that they are to be read', () => {
    assert.equal(eventsOf(begun(100), true)?.details.length, 100);
    assert.deepEqual(eventsOf(begun(101), true)?.details, [
      { event: 'reset', data: { reason: 'many_changes' } },
    ]);
  });

  it('is that all is to be read when a run is stopped: what waited ends without a row', () => {
    const state = next(begun(2));
    cancel(state, 'enough');
    const events = eventsOf(state, false);
    assert.equal(events?.run?.cancel_requested_at, later);
    assert.deepEqual(events?.details, [{ event: 'reset', data: { reason: 'many_changes' } }]);
  });

  it('is the last of a run that has ended', () => {
    const state = next(begun(1));
    leaseAll(state);
    Object.assign(state.run, { status: 'failure', finished_at: later });
    assert.equal(eventsOf(state, false)?.is_last, true);
  });

  it('cuts what an error says', () => {
    const state = next(begun(1));
    const [row] = [...state.rows.values()];
    state.changes.rows.add({ ...(row as NodeRunRow), error_message: 'x'.repeat(5000) });
    const [detail] = eventsOf(state, false)?.details ?? [];
    assert.ok(detail?.event === 'node_run');
    assert.equal(detail.data.error_message?.length, 500);
  });
});

const queuedAs = (id: number, shard_index: number) => ({
  event: 'node_run',
  data: {
    ...{ id, node_key: 'each', shard_index, status: 'queued', attempt: 0, queued_at: created },
    ...{ title: 'Each', node_definition_id: 1, max_attempts: 3, cached: false },
  },
});
