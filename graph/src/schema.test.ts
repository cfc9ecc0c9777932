import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { seeded } from './random.ts';
import { checkValue, declaredParams, withDefaults } from './schema.ts';
import { schemaFaults } from './schema-shape.ts';
import { UnknownValue } from './schema-values.ts';

describe('checking a value against a schema', () => {
  const cases: [title: string, schema: unknown, value: unknown, pointers: string[]][] = [
    [
      'names the place of a wrong type',
      { properties: { a: { type: 'integer' } } },
      { a: 1.5 },
      ['/a'],
    ],
    ['puts a missing member where it would be', { required: ['a/b'] }, {}, ['/a~1b']],
    [
      'reports every fault',
      { properties: { a: { minimum: 1 }, b: { maxLength: 1 } } },
      { a: 0, b: 'xx' },
      ['/a', '/b'],
    ],
    ['refuses members that are not foreseen', { additionalProperties: false }, { z: 1 }, ['/z']],
    ['looks into lists', { items: { enum: ['x'] } }, ['x', 'y'], ['/1']],
    [
      'follows references',
      { $defs: { n: { type: 'null' } }, items: { $ref: '#/$defs/n' } },
      [null, 0],
      ['/1'],
    ],
    ['has no members by inheritance', { required: ['constructor'] }, {}, ['/constructor']],
    ['finds what a list must hold', { contains: { minimum: 3 }, maxContains: 1 }, [1, 3], []],
    ['misses what a list must hold', { contains: {}, prefixItems: [true] }, [], ['']],
    [
      'has too much of what it may hold',
      { contains: { minimum: 3 }, maxContains: 1 },
      [3, 4],
      [''],
    ],
    ['knows decimal steps', { multipleOf: 0.1 }, 0.3, []],
    ['counts characters, not code units', { maxLength: 1 }, '😀', []],
    ['gives up on a schema that goes in circles', { allOf: [{ $ref: '#' }] }, 1, ['']],
    [
      'gives up on a schema that branches in circles',
      { anyOf: [{ $ref: '#' }, { $ref: '#' }] },
      1,
      [''],
    ],
    ['does not match a pattern against a huge text', { pattern: '^a*$' }, 'a'.repeat(10_001), ['']],
  ];
  for (const [title, schema, value, pointers] of cases) {
    it(title, () => {
      assert.deepEqual(
        checkValue(schema, value).map(({ pointer }) => pointer),
        pointers,
      );
    });
  }

  it('survives values nested without end', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    assert.equal(checkValue({ type: 'array' }, deep).length, 1);
    assert.equal(schemaFaults({ default: deep }).length, 1);
  });

  it('agrees with Ajv on 300 random schemas and values', () => {
    const random = seeded(11);
    for (let round = 0; round < 300; round++) {
      const schema = randomSchema(random, 3);
      const expected = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
      assert.deepEqual(schemaFaults({ properties: { x: schema } }), [], JSON.stringify(schema));
      for (let turn = 0; turn < 10; turn++) {
        const value = randomValue(random, 3);
        const actual = checkValue(schema, value).length === 0;
        assert.equal(
          actual,
          expected(value),
          `${JSON.stringify(schema)} on ${JSON.stringify(value)}`,
        );
      }
    }
  });
});

describe('a value known by its type alone', () => {
  const integer = new UnknownValue(['integer']);
  const text = new UnknownValue(['string']);
  const cases: [schema: unknown, value: unknown, sound: boolean][] = [
    [{ type: 'integer', minimum: 5 }, integer, true],
    [{ type: 'number' }, integer, true],
    [{ type: 'integer' }, new UnknownValue(['number']), false],
    [{ type: 'string' }, integer, false],
    [{ type: 'string', pattern: '^a$', maxLength: 1 }, text, true],
    [{ enum: ['a', 'b'] }, text, true],
    [{ enum: ['a', 'b'] }, integer, false],
    [{ enum: [1, 2.5] }, new UnknownValue(['number']), true],
    [{ const: 3 }, text, false],
    [{ oneOf: [{ minimum: 1 }, { maximum: 0 }] }, integer, true],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, integer, false],
    [{ not: { type: 'integer' } }, integer, true],
    [{ items: { type: 'string' } }, [integer], false],
    [{ uniqueItems: true, contains: { const: 1 } }, [integer], true],
    [{ if: { const: 1 }, else: false }, integer, true],
  ];
  for (const [schema, value, sound] of cases) {
    it(`${sound ? 'may fit' : 'cannot fit'} ${JSON.stringify(schema)}`, () => {
      assert.equal(checkValue(schema, value).length === 0, sound);
    });
  }
});

describe('the schema of params', () => {
  const refused: [schema: unknown, pointer: string][] = [
    [[], ''],
    [{ type: 'string' }, '/type'],
    [{ properties: { a: { type: 'text' } } }, '/properties/a/type'],
    [{ properties: { a: 7 } }, '/properties/a'],
    [{ properties: { a: { pattern: '(?=x)' } } }, '/properties/a/pattern'],
    [{ patternProperties: { '(': {} } }, '/patternProperties/('],
    [{ unevaluatedProperties: false }, '/unevaluatedProperties'],
    [{ properties: { a: { $ref: 'https://example.com/s' } } }, '/properties/a/$ref'],
    [{ required: 'a' }, '/required'],
    [{ properties: { a: { multipleOf: 0 } } }, '/properties/a/multipleOf'],
  ];
  for (const [schema, pointer] of refused) {
    it(`is refused when it is ${JSON.stringify(schema)}`, () => {
      assert.deepEqual(
        schemaFaults(schema).map((fault) => fault.pointer),
        [pointer],
      );
    });
  }

  it('may hold annotations of ours', () => {
    assert.deepEqual(
      schemaFaults({ properties: { key: { type: 'string', 'x-secret': true } } }),
      [],
    );
  });

  it('fills in defaults for params that are not given', () => {
    const schema = { properties: { width: { default: 800 }, name: {}, depth: { default: null } } };
    assert.deepEqual([...declaredParams(schema).keys()], ['width', 'name', 'depth']);
    assert.deepEqual(withDefaults(schema, { name: 'a' }), { name: 'a', width: 800, depth: null });
    assert.deepEqual(withDefaults(schema, { width: 1 }), { width: 1, depth: null });
    assert.deepEqual(withDefaults(null, { width: 1 }), { width: 1 });
  });
});

type Random = () => number;
const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)] as T;

function randomValue(random: Random, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 7 : 5));
  const size = Math.floor(random() * 4);
  if (kind === 0) return pick(random, [null, true, false]);
  if (kind <= 2) return pick(random, [0, 1, 2, 3, -1, 2.5]);
  if (kind <= 4) return pick(random, ['', 'a', 'ab', 'abc', 'b']);
  if (kind === 5) return Array.from({ length: size }, () => randomValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: size }, () => [
      pick(random, ['a', 'b', 'c']),
      randomValue(random, depth - 1),
    ]),
  );
}

function randomSchema(random: Random, depth: number): Record<string, unknown> | boolean {
  if (random() < 0.04) return random() < 0.7;
  const inner = () => randomSchema(random, depth - 1);
  const small = () => Math.floor(random() * 4);
  const two = () => [inner(), inner()];
  const name = () => pick(random, ['a', 'b', 'c']);
  const flat: Record<string, () => unknown> = {
    type: () =>
      pick(random, ['integer', 'number', 'string', 'object', 'array', ['null', 'boolean']]),
    enum: () => [randomValue(random, 1), randomValue(random, 0)],
    const: () => randomValue(random, 0),
    minimum: small,
    exclusiveMaximum: small,
    multipleOf: () => pick(random, [1, 2]),
    minLength: small,
    maxLength: small,
    pattern: () => pick(random, ['^a', 'b$', '^(a|b)*$']),
    minItems: small,
    maxItems: small,
    uniqueItems: () => true,
    required: () => [name()],
    minProperties: small,
    maxProperties: small,
    dependentRequired: () => ({ [name()]: [name()] }),
  };
  // Not `contains`: beside `prefixItems` Ajv 8.20 accepts it for an empty list.
  const nested: Record<string, () => unknown> = {
    items: inner,
    prefixItems: two,
    properties: () => ({ a: inner(), b: inner() }),
    patternProperties: () => ({ '[bc]': inner() }),
    additionalProperties: inner,
    propertyNames: () => ({ pattern: '^[ab]' }),
    dependentSchemas: () => ({ [name()]: inner() }),
    allOf: two,
    anyOf: two,
    oneOf: two,
    not: inner,
    if: inner,
    else: inner,
  };
  const keywords = { ...flat, ...(depth > 0 ? nested : {}) };
  const chosen = Array.from({ length: 1 + small() }, () => pick(random, Object.keys(keywords)));
  return Object.fromEntries(chosen.map((keyword) => [keyword, keywords[keyword]?.()]));
}
