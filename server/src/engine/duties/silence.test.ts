import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planSweep, type Silence, type SweepPlan } from './silence.ts';

const lease_ms = 60_000;
const now_ms = 1_800_000_000_000;
const fine: Silence = { now_ms, swept_at_ms: now_ms - 5_000, silent: 0, heard: 1 };

describe('a sweep', () => {
  const table: [string, Partial<Silence>, SweepPlan][] = [
    ['reaps what has run out when all are heard', {}, 'reap'],
    ['that is the first of all gives every lease a term', { swept_at_ms: undefined }, 'extend_all'],
    ['after half a lease without one reaps', { swept_at_ms: now_ms - 30_000 }, 'reap'],
    ['after a longer absence extends', { swept_at_ms: now_ms - 30_001 }, 'extend_all'],
    ['after a night asleep extends', { swept_at_ms: now_ms - 30_000_000 }, 'extend_all'],
    ['by a clock that was set back extends', { swept_at_ms: now_ms + 3_600_000 }, 'extend_all'],
    ['beside one that was a moment later reaps', { swept_at_ms: now_ms + 2 }, 'reap'],
    [
      'after an absence extends, however few are silent',
      { swept_at_ms: now_ms - 75_000, silent: 1, heard: 9 },
      'extend_all',
    ],
    ['extends once when the only worker is silent', { silent: 1, heard: 0 }, 'extend_once'],
    ['reaps when one of two is silent: the other got through', { silent: 1, heard: 1 }, 'reap'],
    ['extends once when two of three are silent', { silent: 2, heard: 1 }, 'extend_once'],
    ['reaps when half of many are silent', { silent: 50, heard: 50 }, 'reap'],
    ['extends once when all of many are silent', { silent: 100, heard: 0 }, 'extend_once'],
    ['without any worker has nothing to extend', { silent: 0, heard: 0 }, 'reap'],
  ];
  for (const [title, over, expected] of table) {
    it(title, () => assert.equal(planSweep({ ...fine, ...over }, lease_ms), expected));
  }
});
