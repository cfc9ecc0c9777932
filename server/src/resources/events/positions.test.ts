import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isKept, isSeenAt, type Position, readPosition } from './positions.ts';

const at = (text: string) => readPosition(text) as Position;

describe('a position', () => {
  it('is what PostgreSQL writes of a snapshot, and nothing else', () => {
    for (const good of ['7:7:', '7:9:7', '7:12:7,9,11']) assert.equal(at(good).text, good);
    const bad = ['', '7', '7:7', '9:7:', '7:9:9', '7:9:6', '7:12:9,8', '7:9:8,8', '0:0:', ' 7:7:'];
    for (const text of [...bad, '7:9:8,', '-7:9:', `${'9'.repeat(17)}:${'9'.repeat(17)}:`])
      assert.equal(readPosition(text), undefined, text);
    assert.equal(readPosition(`1:99999:${'1'.repeat(9000)}`), undefined);
  });

  it('has seen what had committed, also after one that had not', () => {
    const position = at('10:20:10,15');
    const seen = [9, 11, 14, 16, 19].filter((xid) => !isSeenAt(position, xid));
    assert.deepEqual(seen, []);
    const unseen = [10, 15, 20, 21].filter((xid) => isSeenAt(position, xid));
    assert.deepEqual(unseen, []);
  });

  const now = at('30:40:30');
  for (const [position, floor, expected] of [
    ['25:25:', 24, true],
    ['25:25:', 25, false],
    // A transaction under way then has ended since, and its events may have been removed.
    ['20:25:20', 19, true],
    ['20:25:20', 20, false],
    // One still under way has written nothing that could have been removed.
    ['30:35:30', 33, true],
    ['30:35:30', 35, false],
    // From another database, or from this one before it was restored.
    ['41:41:', 10, false],
    ['25:25:', undefined, false],
  ] as const) {
    it(`${position} is ${expected ? '' : 'not '}good when up to ${floor} may be removed`, () => {
      assert.equal(isKept(at(position), floor, now), expected);
    });
  }
});
