/** What steps.ts says of a run as a whole. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { counts } from './examples.ts';
import {
  errorMessage,
  failureCause,
  type NodeCounts,
  type NodeProgress,
  progressOf,
  runOutcome,
} from './steps.ts';

describe('the outcome of a run', () => {
  const inner = (rest: Partial<NodeCounts>) => ({ key: 'a', leaf: false, counts: counts(1, rest) });
  const leaf = (rest: Partial<NodeCounts>) => ({ key: 'z', leaf: true, counts: counts(1, rest) });
  const cases: [title: string, nodes: ReturnType<typeof leaf>[], outcome: string][] = [
    ['of a chain that worked is success', [inner({ success: 1 }), leaf({ success: 1 })], 'success'],
    [
      'with skips by condition is success',
      [inner({ success: 1 }), leaf({ skipped_by_condition: 1 })],
      'success',
    ],
    ['without any work is success', [leaf({ expected: 0 })], 'success'],
    [
      'of a chain whose end failed is failure',
      [inner({ success: 1 }), leaf({ failure: 1 })],
      'failure',
    ],
    [
      'of a chain whose start failed is failure',
      [inner({ failure: 1 }), leaf({ skipped_upstream: 1 })],
      'failure',
    ],
    [
      'with 97 files of 100 is partial success',
      [leaf({ success: 97, failure: 3 })],
      'partial_success',
    ],
    [
      'with one of two ends is partial success',
      [leaf({ success: 1 }), leaf({ failure: 1 })],
      'partial_success',
    ],
    [
      'with a tolerated failure is partial success',
      [inner({ failure: 1 }), leaf({ success: 1 })],
      'partial_success',
    ],
    [
      'aborted for a failure is failure',
      [inner({ failure: 1, cancelled: 1 }), leaf({ skipped_upstream: 1 })],
      'failure',
    ],
  ];
  for (const [title, nodes, outcome] of cases) {
    it(title, () => assert.equal(runOutcome({ nodes }, false), outcome));
  }

  it('is cancelled when a cancel stopped something, whatever else happened', () => {
    assert.equal(runOutcome({ nodes: [leaf({ success: 1, failure: 1 })] }, true), 'cancelled');
  });
});

describe('the progress of a run', () => {
  const state = (
    key: string,
    expected: number | null,
    rest: Partial<NodeCounts> = {},
    more = {},
  ): NodeProgress => ({
    key,
    counts: counts(expected, rest),
    running: 0,
    ...more,
  });
  const percent = (
    nodes: NodeProgress[],
    status: Parameters<typeof progressOf>[1] = null,
    high = 0,
  ) => progressOf(nodes, status, high).progress_percentage;

  it('has exactly the four fields', () => {
    const nodes = [
      state('a', 1, { success: 1 }),
      state('b', 2, { failure: 1 }, { running: 1 }),
      state('c', null),
    ];
    assert.deepEqual(progressOf(nodes, null, 0), {
      progress_percentage: 50,
      completed_nodes: 1,
      total_nodes: 3,
      current_node: 'b',
    });
  });

  it('completes a node by success, failure and condition, not by a skip for want of its parents', () => {
    const nodes = [
      state('a', 2, { success: 1, failure: 1 }),
      state('b', 1, { skipped_by_condition: 1 }),
      state('c', 1, { skipped_upstream: 1 }),
      state('d', 1, { cancelled: 1 }),
      state('e', 0),
      state('f', null),
    ];
    assert.equal(progressOf(nodes, null, 0).completed_nodes, 3);
  });

  it('names the first running node, and none after the end', () => {
    const nodes = [
      state('a', 1),
      state('b', 1, {}, { running: 1 }),
      state('c', 1, {}, { running: 1 }),
    ];
    assert.equal(progressOf(nodes, null, 0).current_node, 'b');
    assert.equal(progressOf(nodes, 'cancelled', 0).current_node, null);
    assert.equal(progressOf([state('a', 1)], null, 0).current_node, null);
  });

  it('is rounded down to one decimal', () => {
    assert.equal(percent([state('a', 3, { success: 2 })]), 66.6);
    assert.equal(percent([state('a', 10, { success: 7 })]), 70);
  });

  it('counts what running ones report, and weights', () => {
    const nodes = [state('a', 4, { success: 1 }, { reported: 1.5, weight: 3 }), state('b', 1)];
    assert.equal(percent(nodes), 46.8);
  });

  it('never falls when work grows', () => {
    assert.equal(percent([state('a', 1, { success: 1 }), state('b', 100)], null, 61.3), 61.3);
  });

  it('is 100 exactly when the run delivered', () => {
    const all = [state('a', 1, { success: 1 })];
    assert.equal(percent(all), 99.9);
    assert.equal(percent(all, null, 100), 99.9);
    assert.equal(percent(all, 'success'), 100);
    assert.equal(percent([state('a', 2, { success: 1, failure: 1 })], 'partial_success', 10), 100);
    assert.equal(percent([state('a', 1, { failure: 1 })], 'failure'), 99.9);
    assert.equal(percent([], null), 0);
    assert.equal(percent([], 'success'), 100);
  });

  it('freezes when a run fails or is cancelled: what was skipped for it is no progress', () => {
    const nodes = [state('a', 1, { failure: 1 }), state('b', 1, { skipped_upstream: 1 })];
    assert.equal(percent(nodes, 'failure', 30), 50);
    assert.equal(percent([state('a', 4, { success: 1, cancelled: 3 })], 'cancelled', 30), 30);
  });
});

describe('the error message of a run', () => {
  const failedNode = (
    key: string,
    map: boolean,
    expected: number,
    failure: number,
    cause: string,
  ) => ({
    key,
    map,
    counts: counts(expected, { failure, success: expected - failure }),
    cause,
  });
  const oom = failureCause({ exit_code: 137, error_class: 'oom' });
  const cases: [nodes: ReturnType<typeof failedNode>[], message: string | null][] = [
    [[], null],
    [[failedNode('a', false, 1, 0, '')], null],
    [
      [failedNode('align', true, 100, 3, oom)],
      '3 of 100 files failed at align: exit code 137 (out of memory)',
    ],
    [[failedNode('align', true, 100, 1, 'timed out')], '1 of 100 files failed at align: timed out'],
    [[failedNode('align', true, 1, 1, 'exit code 1')], '1 of 1 file failed at align: exit code 1'],
    [[failedNode('align', false, 1, 1, 'exit code 1')], 'align failed: exit code 1'],
    [
      [
        failedNode('ok', false, 1, 0, ''),
        failedNode('b', false, 1, 1, 'x'),
        failedNode('c', false, 1, 1, 'y'),
      ],
      'b failed: x (1 more node failed)',
    ],
    [
      [
        failedNode('b', true, 9, 2, 'x'),
        failedNode('c', false, 1, 1, 'y'),
        failedNode('d', false, 1, 1, 'z'),
      ],
      '2 of 9 files failed at b: x (2 more nodes failed)',
    ],
  ];
  for (const [nodes, message] of cases) {
    it(`is ${message}`, () => assert.equal(errorMessage(nodes), message));
  }

  const causes: [failure: Parameters<typeof failureCause>[0], text: string][] = [
    [{ exit_code: 1, error_class: 'exit_nonzero' }, 'exit code 1'],
    [{ exit_code: 143, error_class: 'timeout' }, 'exit code 143 (timed out)'],
    [
      { exit_code: 0, error_class: 'output_missing', error_message: 'output "out" is missing' },
      'output "out" is missing',
    ],
    [{ error_class: 'lost_worker' }, 'the worker was lost'],
    [{ error_class: 'disk_limit' }, 'it wrote more than its disk holds'],
    [{ error_class: 'something_new', exit_code: null }, 'something_new'],
    [{}, 'unknown cause'],
  ];
  for (const [failure, text] of causes) {
    it(`gives the cause as: ${text}`, () => assert.equal(failureCause(failure), text));
  }
});
