import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../test/cast.ts';
import { measure, mostValues, refusalOf } from '../json-text.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('the measure of a body', () => {
  for (const [text, values, levels] of [
    ['1', 1, 0],
    ['"a,b[{"', 1, 0],
    ['"\\",[\\\\"', 1, 0],
    ['[1,2,3]', 4, 1],
    ['{"a":[{},{}],"b,":"]"}', 7, 3],
    ['"open', 1, 0],
    [']]]', 1, 0],
  ] as const) {
    it(`of ${text}`, () => assert.deepEqual(measure(bytes(text)), { values, levels }));
  }

  it('is never less than what is there', () => {
    for (const value of [[[], [[]], {}], { a: { b: [1, [2]] }, c: '[' }, [null, [true, ['']]]]) {
      const count = (one: unknown): number =>
        typeof one === 'object' && one !== null
          ? Object.values(one).reduce((sum: number, each) => sum + count(each), 1)
          : 1;
      assert.ok(measure(bytes(JSON.stringify(value))).values >= count(value));
    }
  });
});

describe('a body', () => {
  it('of too many values is 413, however few bytes it has', async () => {
    const { owner } = await cast();
    const large = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({})));
    const send = (text: string) =>
      owner.fetch('/workflows', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"name":"x","graph":{"nodes":[{"key":"a","node_definition_id":1,"params":{"x":${text}}}]}}`,
      });

    assert.equal((await send(large(10_000))).status, 201);
    const refused = await send(large(mostValues));
    assert.equal(refused.status, 413);
    assert.deepEqual(await refused.json(), { detail: 'The body holds more than 100000 values.' });
    // 4 MB of the smallest possible values.
    assert.equal((await send(large(1_300_000))).status, 413);
  });

  it('of fewer values is 413 where no graph is taken', async () => {
    const { owner } = await cast();
    const send = (count: number) =>
      owner.post('/cogs', { name: 'x', more: Array.from({ length: count }, () => 0) });
    assert.equal((await send(40_000)).status, 422);
    assert.equal((await send(60_000)).status, 413);
  });

  it('that is not UTF-8 is 400', () => {
    assert.equal(refusalOf(Uint8Array.of(0x22, 0xff, 0x22))?.problem, 'invalid');
    assert.equal(refusalOf(bytes('"é🙂"')), undefined);
  });
});
