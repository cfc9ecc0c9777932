import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeRun, WorkflowRun } from '@cogworks/sdk/contract.gen';
import { runBlock, runLine } from './run-view.ts';

const lane = (node_key: string, status: NodeRun['status']) => ({ node_key, status }) as NodeRun;
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
});
