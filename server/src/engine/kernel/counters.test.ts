import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type IdRange, rangesOf } from './asking.ts';
import { readCounters, writtenCounters } from './counters.ts';

describe('counters of nodes as numbers', () => {
  const first = [3, 3, 1, 1, 0, 1, 0, 0, 1];
  const unknown = [-1, 0, 0, 0, 0, 0, 0, 0, 0];

  it('are read by their places', () => {
    assert.deepEqual(readCounters([...first, ...unknown]), [
      {
        ...{ expected: 3, begun: 3, running: 1, success: 1, failure: 0, cancelled: 1 },
        ...{ skipped_by_condition: 0, skipped_upstream: 0, reused: 1 },
      },
      {
        ...{ expected: null, begun: 0, running: 0, success: 0, failure: 0, cancelled: 0 },
        ...{ skipped_by_condition: 0, skipped_upstream: 0, reused: 0 },
      },
    ]);
  });

  it('are written as they were read', () => {
    const each = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    for (const numbers of [[], first, unknown, [...each, ...unknown, ...first]])
      assert.deepEqual(writtenCounters(readCounters(numbers)), numbers);
  });
});

describe('ranges of ids', () => {
  const cases: [string, number[], IdRange[]][] = [
    ['of none are none', [], []],
    ['of one id are that id', [7], [{ first: 7, last: 7 }]],
    ['join what follows one another', [5, 6, 7], [{ first: 5, last: 7 }]],
    [
      'leave out what is between',
      [5, 7],
      [
        { first: 5, last: 5 },
        { first: 7, last: 7 },
      ],
    ],
    [
      'take ids in any order, and twice',
      [9, 2, 1, 2, 10],
      [
        { first: 1, last: 2 },
        { first: 9, last: 10 },
      ],
    ],
  ];
  for (const [what, ids, ranges] of cases)
    it(what, () => {
      const given = [...ids];
      assert.deepEqual(rangesOf(given), ranges);
      assert.deepEqual(given, ids, 'and leave the list as it is');
    });
});
