import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeRun, RunFile, WorkflowRun } from './contract.gen.ts';
import {
  hasAllNodeRuns,
  type RunEvent,
  type ToldNode,
  withEvent,
  withNodes,
} from './run-events.ts';

const nodeRun = (id: number, over: Partial<NodeRun> = {}) =>
  ({ id, node_key: 'each', status: 'pending', attempt: 0, outputs: [], ...over }) as NodeRun;
const file = (id: number, over: Partial<RunFile> = {}) =>
  ({ id, cog_id: id, direction: 'input', name: `f${id}`, status: 'pending', ...over }) as RunFile;
const run = {
  id: 7,
  status: 'queued',
  run_files: [file(1), file(2)],
  node_runs: [nodeRun(10, { cog_id: 1, queue_reason: 'x' }), nodeRun(11, { cog_id: 2 })],
} as unknown as WorkflowRun;
const told = (over: Partial<NodeRun> & { id: number }) => {
  const { outputs: _, ...data } = nodeRun(over.id, over);
  return { event: 'node_run', data } as RunEvent;
};

describe('a run with what was told of it', () => {
  it('keeps what only reading tells of a node run, but not why it waited', () => {
    const { node_runs } = withEvent(run, told({ id: 10, status: 'running', attempt: 1 }));
    assert.deepEqual(node_runs[0], nodeRun(10, { cog_id: 1, status: 'running', attempt: 1 }));
    assert.equal(node_runs[1], run.node_runs[1]);
  });

  it('has new node runs beside those of their node', () => {
    const two = { ...run, node_runs: [...run.node_runs, nodeRun(20, { node_key: 'gather' })] };
    const { node_runs } = withEvent(two, told({ id: 12 }));
    assert.deepEqual(
      node_runs.map(({ id }) => id),
      [10, 11, 12, 20],
    );
  });

  it('has results, each once', () => {
    const data = file(30, { direction: 'output', status: 'success' });
    const once = withEvent(run, { event: 'run_file', data });
    assert.deepEqual(withEvent(once, { event: 'run_file', data }).run_files, [
      ...run.run_files,
      data,
    ]);
  });

  it('counts results where not all files came with it', () => {
    const cut = { ...run, run_files_total: { input: 900, output: 600 } };
    const data = file(30, { direction: 'output', status: 'success' });
    const once = withEvent(cut, { event: 'run_file', data });
    const twice = withEvent(once, { event: 'run_file', data });
    assert.deepEqual(twice.run_files_total, { input: 900, output: 601 });
    assert.equal(withEvent(run, { event: 'run_file', data }).run_files_total, undefined);
  });

  for (const [status, lane, expected] of [
    ['running', {}, { status: 'processing' }],
    ['queued', { attempt: 0 }, { status: 'pending' }],
    ['success', {}, { status: 'success' }],
    ['cancelled', {}, { status: 'cancelled' }],
    ['skipped', {}, { status: 'skipped' }],
    ['failure', { error_message: 'no' }, { status: 'failure', error_message: 'each: no' }],
    ['failure', { exit_code: 3 }, { status: 'failure', error_message: 'each: exit code 3' }],
  ] as const) {
    it(`has a file ${expected.status} whose lane is ${status}`, () => {
      const { run_files } = withEvent(run, told({ id: 10, status, attempt: 1, ...lane }));
      assert.deepEqual(run_files, [{ ...file(1), ...expected }, file(2)]);
    });
  }

  it('knows whether node runs are missing', () => {
    const nodes = (expected: number | null) => [{ node_key: 'each', expected }];
    assert.equal(hasAllNodeRuns(run, nodes(2)), true);
    assert.equal(hasAllNodeRuns(run, nodes(null)), true);
    assert.equal(hasAllNodeRuns(run, nodes(3)), false);
  });

  it('knows that node runs are missing which take the places of later ones', () => {
    const lanes = Array.from({ length: 1000 }, (_, at) => nodeRun(at));
    const full = { ...run, node_runs: lanes };
    const each = { node_key: 'each', expected: 5000 };
    const nodes = (expected: number | null) => [{ node_key: 'opened', expected }, each];
    assert.equal(hasAllNodeRuns(full, nodes(null)), true);
    assert.equal(hasAllNodeRuns(full, nodes(2)), false);
    const opened = [1, 2].map((at) => nodeRun(-at, { node_key: 'opened' }));
    const read = { ...run, node_runs: [...opened, ...lanes.slice(2)] };
    assert.equal(hasAllNodeRuns(read, nodes(2)), true);
    assert.equal(hasAllNodeRuns(full, [each, { node_key: 'later', expected: 2 }]), true);
  });
});

it('keeps the nodes of which nothing was told, and the order of all', () => {
  const node = (node_key: string, success: number) => ({ node_key, success }) as ToldNode;
  const nodes = [node('a', 0), node('b', 0), node('c', 0)];
  assert.deepEqual(withNodes(nodes, [node('c', 1), node('a', 2)]), [
    node('a', 2),
    node('b', 0),
    node('c', 1),
  ]);
  assert.equal(withNodes(nodes, []), nodes);
});
