import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalJson } from './hash.ts';

describe('canonical JSON', () => {
  const cases: [title: string, value: unknown, text: string][] = [
    ['sorts keys at every depth', { b: { d: 1, c: 2 }, a: [] }, '{"a":[],"b":{"c":2,"d":1}}'],
    ['keeps the order of lists', [3, 1, 2], '[3,1,2]'],
    [
      'sorts by code units, as RFC 8785 does',
      { '😀': 1, ﬁ: 2, ö: 3, '1': 4 },
      '{"1":4,"ö":3,"😀":1,"ﬁ":2}',
    ],
    ['writes numbers shortest', [1.0, 1e21, 0.000001, 1e-7, -0], '[1,1e+21,0.000001,1e-7,0]'],
    ['escapes as JSON does', '\u000f"\\\n', '"\\u000f\\"\\\\\\n"'],
    ['leaves out what JSON leaves out', { a: undefined, b: null }, '{"b":null}'],
    ['knows a key called __proto__', JSON.parse('{"__proto__":1,"A":2}'), '{"A":2,"__proto__":1}'],
  ];
  for (const [title, value, text] of cases) {
    it(title, () => assert.equal(canonicalJson(value), text));
  }

  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, () => 1, [undefined], 1n]) {
    it(`refuses ${Array.isArray(value) ? 'a list with a hole' : String(value)}`, () => {
      assert.throws(() => canonicalJson(value), TypeError);
    });
  }

  it('refuses what is nested without end instead of overflowing', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    assert.throws(() => canonicalJson(deep), /nested too deeply/);
  });
});
