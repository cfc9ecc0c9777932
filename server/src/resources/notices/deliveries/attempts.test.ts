import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { askedSeconds, waitAfter } from './attempts.ts';

describe('attempts', () => {
  it('come after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, more or less', () => {
    const hours = [2, 5, 10, 14, 20, 24].map((wait) => wait * 3600);
    for (const [at, wait] of [5, 300, 1800, ...hours].entries()) {
      assert.equal(waitAfter(at + 1, undefined, 0.5), wait);
      assert.equal(waitAfter(at + 1, undefined, 0), wait * 0.9);
      assert.equal(waitAfter(at + 1, undefined, 1), wait * 1.1);
    }
    assert.equal(waitAfter(10), undefined);
  });

  it('come later if the receiver asks so, for a day at most', () => {
    const now = new Date('2027-01-31T12:00:00Z');
    const asked: [header: string | undefined, seconds: number | undefined][] = [
      ['120', 120],
      ['0', undefined],
      ['999999999', 86_400],
      ['9'.repeat(400), 86_400],
      ['Sun, 31 Jan 2027 12:10:00 GMT', 600],
      ['Sun, 31 Jan 2027 11:00:00 GMT', undefined],
      ['Fri, 31 Jan 2031 12:00:00 GMT', 86_400],
      ['soon', undefined],
      ['-5', undefined],
      ['1e3', undefined],
      [undefined, undefined],
    ];
    for (const [header, seconds] of asked) assert.equal(askedSeconds(header, now), seconds, header);
    assert.equal(waitAfter(1, 120, 1), 120);
    assert.equal(waitAfter(2, 120, 0.5), 300);
  });
});
