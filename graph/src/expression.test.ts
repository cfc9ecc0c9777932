import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ExpressionError, type ExpressionScope, evaluate, referencesOf } from './expression.ts';
import { parseExpression } from './expression-syntax.ts';
import { type KnownType, typeFault } from './expression-types.ts';

const scope: ExpressionScope = {
  vars: { width: 800, name: 'Ada', on: true, off: false, nothing: null, 'a-b': 1 },
  params: { quality: 90 },
  file: { name: 'cat.tar.gz', stem: 'cat.tar', media_type: 'application/gzip', size_bytes: 10 },
};

const parse = (text: string) => {
  const parsed = parseExpression(text);
  assert.ok('ast' in parsed, 'fault' in parsed ? parsed.fault.message : '');
  return parsed.ast;
};
const answer = (text: string) => evaluate(parse(text), scope);

describe('a condition', () => {
  const cases: [text: string, answer: boolean][] = [
    ['true', true],
    ['!true', false],
    ['!!vars.on', true],
    ['vars.width == 800', true],
    ['vars.width == "800"', false],
    ['vars.width != 800.0', false],
    ['vars.width >= 8e2 && vars.width < 801', true],
    ['-1 < 0', true],
    ['-1.5 <= -1.5', true],
    ['"b" > "a"', true],
    ["vars.name == 'Ada'", true],
    ['"it\'s \\"x\\"" == \'it\\\'s "x"\'', true],
    ['"\\n" == "n"', false],
    ['vars.nothing == null', true],
    ['vars.a-b == 1', true],
    ['params.quality > 80', true],
    ['file.stem == "cat.tar" && file.size_bytes == 10', true],
    ['vars.name in ["Bob", "Ada"]', true],
    ['vars.name in []', false],
    ['!(vars.width in [1, params.quality])', true],
    ['startsWith(file.name, "cat")', true],
    ['endsWith(file.name, ".zip")', false],
    ['contains(file.media_type, "/")', true],
    ['true || false && false', true],
    ['(true || false) && false', false],
    ['!vars.off == true', true],
    ['vars.off && vars.nothing < 1', false],
    ['vars.on || vars.nothing < 1', true],
    ['  true\n', true],
  ];
  for (const [text, expected] of cases) {
    it(`${text.trim()} is ${expected}`, () => assert.equal(answer(text), expected));
  }

  const senseless: [text: string, message: RegExp][] = [
    ['vars.width', /must be true or false, not 800/],
    ['null', /must be true or false, not null/],
    ['vars.nothing < 1', /compares two numbers or two texts, not null and 1/],
    ['"1" < 2', /compares two numbers/],
    ['!vars.name', /An operand of !/],
    ['true && 1', /An operand of !/],
    ['contains(vars.width, "8")', /contains takes two texts/],
    ['vars.missing == 1', /vars.missing is unknown/],
    ['vars.constructor == 1', /vars.constructor is unknown/],
    ['vars.__proto__ == null', /vars.__proto__ is unknown/],
  ];
  for (const [text, message] of senseless) {
    it(`${text} has no answer`, () => {
      assert.throws(
        () => answer(text),
        (error) => error instanceof ExpressionError && message.test(error.message),
      );
    });
  }

  it('has no file in a node that runs once', () => {
    const { vars, params } = scope;
    assert.throws(() => evaluate(parse('file.name == "a"'), { vars, params }), /no file/);
  });

  const unreadable: [text: string, column: number][] = [
    ['', 1],
    ['true &&', 8],
    ['a == 1', 1],
    ['vars.x = 1', 8],
    ['vars', 1],
    ['vars.a.b', 1],
    ['file.path == "x"', 1],
    ['1 < 2 < 3', 7],
    ['(true', 6],
    ['true)', 5],
    ['"open', 1],
    ['vars.x in (1)', 11],
    ['in [1]', 1],
    ['startsWith("a")', 1],
    ['evil("a", "b")', 1],
    ['true false', 6],
    ['1abc == 1', 2],
    ['`x`', 1],
    ['vars.x == /a+/', 11],
    ['[1] == 1', 1],
    ['true && ; true', 9],
    [`${'!'.repeat(51)}true`, 51],
    [`${'('.repeat(200)}true${')'.repeat(200)}`, 51],
    ['true '.repeat(201), 1001],
  ];
  for (const [text, column] of unreadable) {
    it(`cannot be ${text.slice(0, 30) || 'empty'}`, () => {
      const parsed = parseExpression(text);
      assert.ok('fault' in parsed);
      assert.equal(parsed.fault.column, column, parsed.fault.message);
    });
  }

  it('takes little stack when it is long', () => {
    assert.equal(answer(`${'true&&'.repeat(160)}true`), true);
  });

  it('tells which names it reads', () => {
    const text = 'vars.a == 1 && !(params.b in [vars.c, 2]) || contains(file.name, vars.a)';
    const names = referencesOf(parse(text)).map(({ root, name }) => `${root}.${name}`);
    assert.deepEqual(names, ['vars.a', 'params.b', 'vars.c', 'file.name', 'vars.a']);
  });
});

describe('the types of a condition', () => {
  const types = new Map<string, KnownType>([
    ['n', 'number'],
    ['s', 'string'],
    ['b', 'boolean'],
  ]);
  const cases: [text: string, column: number | null][] = [
    ['vars.b && vars.n > 1 && vars.s == "x"', null],
    ['vars.any', null],
    ['vars.any < vars.n', null],
    ['vars.n == null', null],
    ['vars.n in ["a", 1]', null],
    ['vars.n', 1],
    ['"x"', 1],
    ['null', 1],
    ['vars.b && vars.s', 11],
    ['!vars.n', 2],
    ['vars.n == "1"', 8],
    ['vars.n < "1"', 8],
    ['vars.any < true', 10],
    ['vars.any < null', 10],
    ['contains(vars.n, "1")', 1],
  ];
  for (const [text, column] of cases) {
    it(`${column === null ? 'allow' : 'forbid'} ${text}`, () => {
      const fault = typeFault(parse(text), ({ name }) => types.get(name) ?? 'unknown');
      assert.equal(fault?.column ?? null, column, fault?.message);
    });
  }
});
