import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError } from '../../../errors.ts';
import { checkedName, numberedName, numberingOf } from './names.ts';

describe('a name', () => {
  const good = [
    'a',
    '...',
    '.hidden',
    'a b ',
    'C:\\x',
    '%2f..%2fx',
    '..%2f',
    '．．／',
    '\u202eabc',
    'a'.repeat(255),
    'é'.repeat(127),
    '😀'.repeat(63),
    '%',
    '_',
    "'",
  ];
  for (const name of good) {
    it(`may be ${JSON.stringify(name.slice(0, 20))}`, () => assert.equal(checkedName(name), name));
  }

  const bad = [
    '',
    '.',
    '..',
    '/',
    'a/b',
    '../etc',
    'a\0b',
    'a\nb',
    'a\rb',
    'a\tb',
    '\x7f',
    '\x85',
    '\ud800',
    'x\udc00',
    'a'.repeat(256),
    'é'.repeat(128),
    '😀'.repeat(64),
  ];
  for (const name of bad) {
    it(`must not be ${JSON.stringify(name.slice(0, 20))}`, () => {
      assert.throws(
        () => checkedName(name),
        (error) => error instanceof DomainError && error.fields?.[0]?.loc.join('.') === 'body.name',
      );
    });
  }

  it('is stored composed (NFC), and measured that way', () => {
    assert.equal(checkedName('e\u0301'), '\u00e9');
    assert.equal(checkedName('e\u0301'.repeat(127)), 'é'.repeat(127));
  });
});

describe('a numbered name', () => {
  const cases: [string, number, string][] = [
    ['a.txt', 2, 'a (2).txt'],
    ['a.tar.gz', 3, 'a.tar (3).gz'],
    ['noext', 2, 'noext (2)'],
    ['.hidden', 2, '.hidden (2)'],
    ['a.', 2, 'a (2).'],
  ];
  for (const [name, number, expected] of cases) {
    it(`of ${name} is ${expected}`, () => assert.equal(numberedName(name, number), expected));
  }

  it('still fits, and never cuts a character in two', () => {
    for (const name of [`${'é'.repeat(125)}.txt`, '😀'.repeat(63), `a.${'x'.repeat(253)}`]) {
      const numbered = numberedName(name, 12);
      assert.ok(Buffer.byteLength(numbered) <= 255);
      assert.equal(checkedName(numbered), numbered);
      assert.match(numbered, / \(12\)/);
    }
  });
});

describe('the next number of a name', () => {
  const cases: [string, string][] = [
    ['a.txt', 'a (2).txt'],
    ['a (2).txt', 'a (3).txt'],
    ['a (2) (9).txt', 'a (2) (10).txt'],
    ['noext (3)', 'noext (4)'],
    ['.hidden', '.hidden (2)'],
    ['(7)', '(7) (2)'],
    ['of (20260101).txt', 'of (20260101) (2).txt'],
  ];
  for (const [name, expected] of cases) {
    it(`after ${name} gives ${expected}`, () => {
      const { head, tail, first } = numberingOf(name);
      assert.equal(`${head} (${first})${tail}`, expected);
    });
  }

  it('leaves room for numbers that are larger', () => {
    for (const name of [`${'é'.repeat(125)}.txt`, '😀'.repeat(63), `a.${'x'.repeat(253)}`]) {
      const { head, tail } = numberingOf(name);
      const numbered = `${head} (99999)${tail}`;
      assert.equal(checkedName(numbered), numbered);
    }
  });
});
