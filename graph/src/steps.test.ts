import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  countOf,
  errorMessage,
  failureCause,
  type NodeCounts,
  type NodeProgress,
  nextStep,
  openLanes,
  type ParentState,
  progressOf,
  runOutcome,
  type Step,
} from './steps.ts';

const counts = (expected: number | null, rest: Partial<NodeCounts> = {}): NodeCounts => ({
  expected,
  success: 0,
  failure: 0,
  cancelled: 0,
  skipped_by_condition: 0,
  skipped_upstream: 0,
  ...rest,
});
const one = (rest: Partial<NodeCounts>, more: Partial<ParentState> = {}): ParentState => ({
  port: 'one',
  gather: false,
  source_on_error: 'fail',
  counts: counts(1, rest),
  ...more,
});
const lanes = (
  expected: number | null,
  rest: Partial<NodeCounts>,
  more: Partial<ParentState> = {},
) => one({}, { port: 'many', gather: true, counts: counts(expected, rest), ...more });

const optional = { port: 'optional' } as const;
const tolerated = { source_on_error: 'continue' } as const;
const failed = { skip: 'upstream_failed' } as const;
const cancelled = { skip: 'upstream_cancelled' } as const;
const skipped = { skip: 'upstream_skipped' } as const;

describe('the next step of a node run', () => {
  const cases: [title: string, parents: ParentState[], step: Step][] = [
    ['without parents is to start', [], 'ready'],
    ['is to wait for a parent', [one({})], 'wait'],
    [
      'is to wait for the other parent, even when one failed',
      [one({ failure: 1 }), one({})],
      'wait',
    ],
    ['is to start after success', [one({ success: 1 }), one({ success: 1 })], 'ready'],

    ['after a failure is to skip', [one({ failure: 1 })], failed],
    ['after a failure is to skip at an optional port', [one({ failure: 1 }, optional)], failed],
    [
      'after a tolerated failure is to skip at a required port',
      [one({ failure: 1 }, tolerated)],
      failed,
    ],
    [
      'after a tolerated failure is to skip at a port for many',
      [one({ failure: 1 }, { port: 'many', ...tolerated })],
      failed,
    ],
    [
      'after a tolerated failure is to go on without it',
      [one({ failure: 1 }, { ...optional, ...tolerated })],
      'ready',
    ],

    ['behind a failure further up is to skip', [one({ skipped_upstream: 1 })], failed],
    [
      'behind a failure further up is to skip at an optional port',
      [one({ skipped_upstream: 1 }, optional)],
      failed,
    ],
    [
      'behind a failure further up is to go on where that is tolerated',
      [one({ skipped_upstream: 1 }, { ...optional, ...tolerated })],
      'ready',
    ],

    ['behind a condition is to skip', [one({ skipped_by_condition: 1 })], skipped],
    [
      'behind a condition is to skip at a port for many',
      [one({ skipped_by_condition: 1 }, { port: 'many' })],
      skipped,
    ],
    [
      'behind a condition is to go on at an optional port',
      [one({ skipped_by_condition: 1 }, optional)],
      'ready',
    ],

    ['after a cancel is to skip', [one({ cancelled: 1 })], cancelled],
    [
      'after a cancel is to skip, whatever is tolerated',
      [one({ cancelled: 1 }, { ...optional, ...tolerated })],
      cancelled,
    ],
    ['names a failure before a cancel', [one({ cancelled: 1 }), one({ failure: 1 })], failed],
    [
      'names a cancel before a condition',
      [one({ skipped_by_condition: 1 }), one({ cancelled: 1 })],
      cancelled,
    ],

    ['is to wait until the lanes are known', [lanes(null, {})], 'wait'],
    ['is to wait for all lanes', [lanes(3, { success: 2 })], 'wait'],
    ['is to wait for all lanes when too many failed already', [lanes(3, { failure: 2 })], 'wait'],
    ['is to gather all lanes', [lanes(3, { success: 3 })], 'ready'],
    ['is to skip when one lane failed', [lanes(3, { success: 2, failure: 1 })], failed],
    [
      'is to gather enough lanes',
      [lanes(100, { success: 97, failure: 3 }, { min_success_ratio: 0.97 })],
      'ready',
    ],
    [
      'is to skip when one lane is lacking',
      [lanes(100, { success: 96, failure: 4 }, { min_success_ratio: 0.97 })],
      failed,
    ],
    [
      'counts exact thirds',
      [lanes(3, { success: 1, failure: 2 }, { min_success_ratio: 1 / 3 })],
      'ready',
    ],
    [
      'is to gather nothing where nothing is asked for',
      [lanes(2, { failure: 2 }, { min_success_ratio: 0 })],
      'ready',
    ],
    [
      'leaves lanes out of the count that a condition skipped',
      [lanes(10, { success: 1, skipped_by_condition: 9 })],
      'ready',
    ],
    [
      'counts lanes skipped behind a failure',
      [lanes(10, { success: 9, skipped_upstream: 1 })],
      failed,
    ],
    ['names a cancel when nothing failed', [lanes(2, { success: 1, cancelled: 1 })], cancelled],
    ['is to gather no lanes at all', [lanes(0, {})], 'ready'],
    ['is to gather no lanes at an optional port', [lanes(0, {}, optional)], 'ready'],
    ['is to skip without lanes at a required port', [lanes(0, {}, { port: 'one' })], skipped],
    [
      'is to gather an empty list when a condition skipped every lane',
      [lanes(2, { skipped_by_condition: 2 })],
      'ready',
    ],
    [
      'is to gather what there is where failure is tolerated',
      [lanes(3, { success: 1, failure: 2 }, tolerated)],
      'ready',
    ],
    [
      'is to skip when nothing is left of tolerated lanes',
      [lanes(3, { failure: 3 }, tolerated)],
      failed,
    ],
    [
      'is to skip when fewer lanes than the edge names succeeded, though failure is tolerated',
      [lanes(3, { success: 1, failure: 2 }, { ...tolerated, min_success_ratio: 0.5 })],
      failed,
    ],
    [
      'is to skip when all lanes are asked for and one failed, though failure is tolerated',
      [lanes(3, { success: 2, failure: 1 }, { ...tolerated, min_success_ratio: 1 })],
      failed,
    ],
    [
      'is to gather enough lanes where failure is tolerated too',
      [lanes(4, { success: 2, failure: 2 }, { ...tolerated, min_success_ratio: 0.5 })],
      'ready',
    ],
    [
      'is to gather nothing where nothing is asked for and failure is tolerated',
      [lanes(2, { failure: 2 }, { ...tolerated, min_success_ratio: 0 })],
      'ready',
    ],
    [
      'is to gather what a cancel left where failure is tolerated',
      [lanes(3, { success: 1, cancelled: 2 }, tolerated)],
      'ready',
    ],
    [
      'is to go on without tolerated lanes at an optional port',
      [lanes(3, { failure: 3 }, { ...tolerated, ...optional })],
      'ready',
    ],
  ];
  for (const [title, parents, step] of cases) {
    it(title, () => assert.deepEqual(nextStep(parents, { aborted: false }), step));
  }

  it('is to skip at once in a run that is aborted', () => {
    assert.deepEqual(nextStep([one({})], { aborted: true }), { skip: 'run_aborted' });
  });

  it('opens a lane for each file of a node that has ended', () => {
    assert.equal(openLanes(counts(1), 0), null);
    assert.deepEqual(openLanes(counts(1, { success: 1 }), 3), { lanes: 3, skip: null });
    assert.deepEqual(openLanes(counts(1, { success: 1 }), 0), { lanes: 0, skip: null });
    assert.deepEqual(openLanes(counts(1, { failure: 1 }), 0), { lanes: 1, ...failed });
    assert.deepEqual(openLanes(counts(1, { skipped_by_condition: 1 }), 0), {
      lanes: 1,
      ...skipped,
    });
    assert.deepEqual(openLanes(counts(1, { cancelled: 1 }), 0), { lanes: 1, ...cancelled });
  });

  it('counts a run by its status and the reason of its skip', () => {
    assert.equal(countOf('running'), null);
    assert.equal(countOf('failure'), 'failure');
    assert.equal(countOf('skipped', 'condition_false'), 'skipped_by_condition');
    assert.equal(countOf('skipped', 'upstream_skipped'), 'skipped_by_condition');
    for (const reason of ['upstream_failed', 'upstream_cancelled', 'run_aborted'] as const) {
      assert.equal(countOf('skipped', reason), 'skipped_upstream');
    }
  });
});

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
