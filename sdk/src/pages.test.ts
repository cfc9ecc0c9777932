import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextCursor } from './pages.ts';

describe('nextCursor', () => {
  it('finds the cursor of the next page', () => {
    assert.equal(
      nextCursor('<http://h/cogs/?limit=2&cursor=WzFd.sig%2B1>; rel="next"'),
      'WzFd.sig+1',
    );
  });

  it('finds none on the last page', () => {
    assert.equal(nextCursor(null), undefined);
    assert.equal(nextCursor('<http://h/cogs/>; rel="prev"'), undefined);
  });

  it('takes the right one of several links', () => {
    assert.equal(
      nextCursor('<http://h/?cursor=a>; rel="prev", <http://h/?cursor=b>; rel="next"'),
      'b',
    );
  });
});
