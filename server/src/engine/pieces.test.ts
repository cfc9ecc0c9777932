import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { piecesOf } from './pieces.ts';

describe('pieces of a list', () => {
  it('hold at most two thousand rows, all of them, in order', () => {
    const rows = Array.from({ length: 4500 }, (_, index) => index);

    const pieces = piecesOf(rows);

    assert.deepEqual(
      pieces.map((piece) => piece.length),
      [2000, 2000, 500],
    );
    assert.deepEqual(pieces.flat(), rows);
    assert.deepEqual(piecesOf([]), []);
  });
});
