import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Batches, type Begins } from './batches.ts';

/** Batches whose work the test ends, one by one, in the order they began. */
function controlled(most?: number, begins?: Begins) {
  const begun: { key: string; items: readonly number[]; end: (error?: Error) => void }[] = [];
  let ended = 0;
  const batches = new Batches<string, number, string>(
    (key, items) =>
      new Promise((resolve, reject) => {
        const outcomes = items.map((item) =>
          item < 0 ? { error: new Error(`bad ${item}`) } : { result: `${key}${item}` },
        );
        begun.push({ key, items, end: (error) => (error ? reject(error) : resolve(outcomes)) });
      }),
    most,
    begins,
  );
  /** Ends the oldest batch. @returns its key and its items. */
  const endNext = async (error?: Error) => {
    while (begun.length <= ended) await new Promise(setImmediate);
    const batch = begun[ended];
    ended += 1;
    batch?.end(error);
    return [batch?.key, batch?.items];
  };
  return { batches, begun, endNext };
}

describe('work in batches', () => {
  it('begins at once, and what comes meanwhile is done together by the next', async () => {
    const { batches, begun, endNext } = controlled();
    const answers = [1, 2, 3].map((item) => batches.add('a', item));

    assert.equal(begun.length, 1);
    assert.deepEqual(await endNext(), ['a', [1]]);
    assert.deepEqual(await endNext(), ['a', [2, 3]]);
    assert.deepEqual(await Promise.all(answers), ['a1', 'a2', 'a3']);

    const later = batches.add('a', 4);
    assert.deepEqual(await endNext(), ['a', [4]]);
    assert.equal(await later, 'a4');
  });

  it('begins, if told so, with all that comes in the same moment', async () => {
    const { batches, begun, endNext } = controlled(3, 'after this moment');
    const ask = async (item: number) => batches.add('a', item);
    const answers = [1, 2].map((item) => batches.add('a', item));
    answers.push(Promise.resolve().then(() => ask(3)));

    assert.equal(begun.length, 0);
    assert.deepEqual(await endNext(), ['a', [1, 2, 3]]);
    const later = ask(4);
    assert.deepEqual(await Promise.all(answers), ['a1', 'a2', 'a3']);
    assert.deepEqual(await endNext(), ['a', [4]]);
    assert.equal(await later, 'a4');
  });

  it('of different keys goes on side by side, and no batch is larger than allowed', async () => {
    const { batches, begun, endNext } = controlled(2);
    const answers = [1, 2, 3, 4].map((item) => batches.add('a', item));
    const other = batches.add('b', 1);

    assert.deepEqual(
      begun.map(({ key }) => key),
      ['a', 'b'],
    );
    assert.deepEqual(await endNext(), ['a', [1]]);
    assert.deepEqual(await endNext(), ['b', [1]]);
    assert.deepEqual(await endNext(), ['a', [2, 3]]);
    assert.deepEqual(await endNext(), ['a', [4]]);
    assert.deepEqual(await Promise.all([...answers, other]), ['a1', 'a2', 'a3', 'a4', 'b1']);
  });

  it('fails for the item that is bad, or for the batch that fails, and goes on', async () => {
    const { batches, endNext } = controlled();
    const ends = Promise.allSettled([1, -2, 3].map((item) => batches.add('a', item)));

    await endNext(new Error('down'));
    await endNext();

    assert.deepEqual(
      (await ends).map((end) => (end.status === 'fulfilled' ? end.value : end.reason.message)),
      ['down', 'bad -2', 'a3'],
    );
  });
});
