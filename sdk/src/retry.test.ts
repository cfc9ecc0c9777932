import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryDelay } from './retry.ts';

const now = new Date('2026-01-01T00:00:00Z');
const decide = (outcome: Partial<Parameters<typeof retryDelay>[0]>, random = 0) =>
  retryDelay({ attempt: 1, isRepeatable: false, ...outcome }, now, random);

describe('retryDelay', () => {
  it('repeats what was over the limit, whatever it was', () => {
    assert.equal(decide({ status: 429 }), 150);
  });

  it('waits as long as the answer asks, and a little more', () => {
    assert.equal(decide({ status: 429, retryAfter: '7' }), 7075);
    assert.equal(decide({ status: 429, retryAfter: 'Thu, 01 Jan 2026 00:00:02 GMT' }, 1), 2150);
  });

  it('gives up when the answer asks for more than a limit ever needs', () => {
    assert.equal(decide({ status: 429, retryAfter: '3600' }), undefined);
  });

  it('repeats after a failed network or an unavailable service only what may be sent twice', () => {
    assert.equal(decide({}), undefined);
    assert.equal(decide({ status: 503 }), undefined);
    assert.equal(decide({ isRepeatable: true }), 150);
    assert.equal(decide({ status: 503, isRepeatable: true }), 150);
  });

  it('never repeats what was refused for good', () => {
    for (const status of [400, 401, 403, 404, 409, 422, 500]) {
      assert.equal(decide({ status, isRepeatable: true }), undefined, String(status));
    }
  });

  it('waits longer each time, up to a point, then gives up', () => {
    const delays = [1, 2, 3, 4, 5].map((attempt) => decide({ attempt, isRepeatable: true }, 1));
    assert.deepEqual(delays, [300, 600, 1200, 2400, undefined]);
  });
});
