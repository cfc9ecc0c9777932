import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alone, atOnce, median, quantile } from './measure.ts';

describe('the middle of some values', () => {
  it('is one of them when their number is odd, else the mean of two', () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([4, 1, 2, 9]), 3);
    assert.ok(Number.isNaN(median([])));
  });
});

describe('a quantile', () => {
  it('is the smallest value that this part of all does not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    assert.equal(quantile(hundred, 0.5), 50);
    assert.equal(quantile(hundred, 0.99), 99);
    assert.equal(quantile([7], 0.99), 7);
  });
});

describe('a measurement', () => {
  it('takes slow work at least five times', async () => {
    assert.equal((await alone(async () => {}, 0)).length, 5);
  });

  it('ends with the failure of one of its loops', async () => {
    let count = 0;
    const once = async () => {
      count += 1;
      if (count === 3) throw new Error('the third');
      await new Promise((resolve) => setImmediate(resolve));
    };
    await assert.rejects(atOnce(once, { loops: 2, seconds: 60 }), /the third/);
  });
});
