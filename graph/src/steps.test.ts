import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { counts } from './examples.ts';
import {
  countOf,
  type NodeCounts,
  nextStep,
  openLanes,
  type ParentState,
  type Step,
} from './steps.ts';

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
