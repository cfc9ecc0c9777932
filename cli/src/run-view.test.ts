import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeRun, WorkflowRun } from '@cogworks/sdk/contract.gen';
import type { ToldNode } from '@cogworks/sdk/run-events';
import { runBlock, runLine } from './run-view.ts';

const lane = (node_key: string, status: NodeRun['status']) => ({ node_key, status }) as NodeRun;
const node = (
  node_key: string,
  expected: number | null,
  over: Partial<ToldNode> = {},
): ToldNode => ({
  ...{ node_key, expected, queued: 0, running: 0, success: 0, failure: 0, cancelled: 0 },
  skipped: 0,
  ...over,
});
const node_runs = [
  lane('text', 'success'),
  lane('text', 'failure'),
  lane('count', 'running'),
  lane('count', 'skipped'),
  lane('report', 'pending'),
];
const moment = {
  run: { id: 7, status: 'running', node_runs } as unknown as WorkflowRun,
  progress: { progress_percentage: 25, completed_nodes: 1, total_nodes: 3, current_node: 'count' },
  nodes: [
    node('text', 2, { success: 1, failure: 1 }),
    node('count', 2, { running: 1, skipped: 1 }),
    node('report', 1),
    node('unknown', null),
  ],
  elapsed_ms: 4230,
};

describe('a run in the terminal', () => {
  it('has one row per node and one mark per file', () => {
    const lines = runBlock(moment, (_style, text) => text, '*');

    assert.deepEqual(lines, [
      `Run 7  ${'━'.repeat(8)}${'─'.repeat(22)}  25.0 %  4.2 s`,
      '  text    ✓ ✗  1 of 2, 1 failed',
      '  count   * –  0 of 2, 1 skipped, 1 running',
      '  report  ·  0 of 1',
    ]);
  });

  it('fits one line of a log, without nodes that have not begun', () => {
    assert.equal(
      runLine(moment),
      ' 25.0 %  text 1 of 2, 1 failed · count 0 of 2, 1 skipped, 1 running',
    );
  });

  it('counts all of very many files, of which the run includes the first', () => {
    const first = Array.from({ length: 1000 }, () => lane('text', 'queued'));
    const large = {
      ...moment,
      run: {
        ...moment.run,
        node_runs: first.with(0, { ...lane('text', 'queued'), queue_reason: 'no worker' }),
      },
      nodes: [node('text', 12_000, { success: 40, queued: 11_960 }), node('report', 1)],
    };
    const counts = '40 of 12000, 11960 waiting: no worker';
    assert.equal(runLine(large), ` 25.0 %  text ${counts}`);
    assert.deepEqual(runBlock(large, (_style, text) => text, '*').slice(1), [
      `  text    ${counts}`,
      '  report  0 of 1',
    ]);
  });
});
