import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freeNames } from './names.ts';

describe('names in a folder of a ZIP', () => {
  it('are found in a few steps each, however many differ only in case', () => {
    const count = 4096;
    let steps = 0;
    const free = freeNames((name, number) => {
      steps += 1;
      return `${name} (${number})`;
    });
    const variant = (number: number) =>
      [...'abcdefghijkl']
        .map((letter, at) => ((number >> at) & 1 ? letter.toUpperCase() : letter))
        .join('');

    const names = Array.from({ length: count }, (_, at) => free(variant(at)));

    assert.equal(new Set(names.map((name) => name.toLowerCase())).size, count);
    assert.deepEqual(
      [names[0], names[1], names[2], names.at(-1)],
      [variant(0), `${variant(1)} (2)`, `${variant(2)} (3)`, `${variant(count - 1)} (${count})`],
    );
    assert.ok(steps <= 2 * count, `${steps} steps`);
  });

  it('take no number that a name has already', () => {
    const free = freeNames((name, number) => `${name} (${number})`);

    assert.deepEqual(['a', 'a (2)', 'A', 'A (2)', 'A (3)', 'a'].map(free), [
      'a',
      'a (2)',
      'A (3)',
      'A (2) (2)',
      'A (3) (2)',
      'a (4)',
    ]);
  });
});
