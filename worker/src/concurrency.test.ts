import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachParallel } from './concurrency.ts';

describe('forEachParallel', () => {
  it('ends with the first failure, and leaves nothing going on', async () => {
    const begun: number[] = [];
    let underWay = 0;
    const work = async (item: number, signal: AbortSignal) => {
      begun.push(item);
      underWay += 1;
      try {
        if (item === 1) throw new Error('the second is bad');
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      } finally {
        underWay -= 1;
      }
    };

    const all = forEachParallel(
      3,
      Array.from({ length: 100 }).keys(),
      new AbortController().signal,
      work,
    );

    await assert.rejects(all, /the second is bad/);
    assert.equal(underWay, 0);
    assert.ok(begun.length <= 3);
  });
});
