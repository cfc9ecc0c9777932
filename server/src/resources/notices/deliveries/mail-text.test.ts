import assert from 'node:assert/strict';
import { it } from 'node:test';
import { duration, stepsIn } from './mail-text.ts';

it('counts the steps of all nodes together', () => {
  // expected, begun, running, success, failure, cancelled, two kinds of skipped, successes reused
  const nodes = [3, 3, 0, 2, 1, 0, 0, 0, 1, 2, 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0];
  assert.equal(stepsIn(nodes), 'Steps: 2 succeeded, 1 failed, 1 cancelled, 2 skipped.');
  assert.equal(stepsIn([0, 0, 0, 0, 0, 0, 0, 0, 0]), '');
});

it('says how long a run took', () => {
  const words = [0, 59, 60, 3599, 3600, 7500].map(duration);
  assert.deepEqual(words, ['0 s', '59 s', '1 min', '1 h 0 min', '1 h 0 min', '2 h 5 min']);
});
