import { describe, expect, it } from 'vitest';
import { alternativeOf, kindOf, labelOf, limitsOf, startOf } from './kinds.ts';

const kind = (schema: Record<string, unknown>, root = schema) => kindOf(schema, root).kind;

describe('the field of a schema', () => {
  it('follows the type', () => {
    expect(kind({ type: 'string' })).toBe('text');
    expect(kind({ type: 'integer' })).toBe('number');
    expect(kind({ type: ['number', 'null'] })).toBe('number');
    expect(kind({ type: 'boolean' })).toBe('boolean');
    expect(kind({ type: 'string', 'x-secret': true })).toBe('secret');
  });

  it('is a choice for an enum, and for alternatives that are one value each', () => {
    expect(kindOf({ enum: ['a', 1] }, {})).toEqual({
      kind: 'choice',
      choices: [
        { value: 'a', label: 'a' },
        { value: 1, label: '1' },
      ],
    });
    const sizes = { oneOf: [{ const: 0, title: 'Small' }, { const: 1 }] };
    expect(kindOf(sizes, sizes)).toEqual({
      kind: 'choice',
      choices: [
        { value: 0, label: 'Small' },
        { value: 1, label: '1' },
      ],
    });
  });

  it('is a list, ticks, members, names with values, or alternatives', () => {
    expect(kind({ type: 'array', items: { type: 'string' } })).toBe('list');
    expect(kind({ type: 'array', items: { enum: ['a'] }, uniqueItems: true })).toBe('several');
    expect(kind({ type: 'object', properties: { a: { type: 'string' } } })).toBe('object');
    expect(kind({ type: 'object', additionalProperties: { type: 'number' } })).toBe('map');
    expect(kind({ anyOf: [{ type: 'string' }, { type: 'integer' }] })).toBe('alternatives');
  });

  it('is raw JSON for everything else', () => {
    expect(kind({})).toBe('json');
    expect(kind({ type: ['string', 'integer'] })).toBe('json');
    expect(kind({ type: 'object' })).toBe('json');
    expect(kind({ type: 'array', prefixItems: [{ type: 'string' }] })).toBe('json');
    expect(kind({ type: 'array' })).toBe('json');
  });

  it('is that of the schema a reference leads to, even in circles', () => {
    const root = { $defs: { size: { type: 'integer' }, loop: { $ref: '#/$defs/loop' } } };
    expect(kindOf({ $ref: '#/$defs/size' }, root).kind).toBe('number');
    expect(kindOf({ $ref: '#/$defs/loop' }, root).kind).toBe('json');
    expect(kindOf({ $ref: '#/$defs/none' }, root).kind).toBe('json');
  });
});

describe('the words of a field', () => {
  it('are the title, else the name', () => {
    expect(labelOf('page_size', {})).toBe('Page size');
    expect(labelOf('page_size', { title: 'Paper' })).toBe('Paper');
  });

  it('say the limits', () => {
    expect(limitsOf({ type: 'integer', minimum: 1, maximum: 2000 })).toBe(
      'Whole number from 1 to 2,000',
    );
    expect(limitsOf({ type: 'number', exclusiveMinimum: 0 })).toBe('Number, above 0');
    expect(limitsOf({ type: 'integer', multipleOf: 5 })).toBe('Whole number, in steps of 5');
    expect(limitsOf({ type: 'string', maxLength: 5, pattern: '^a' })).toBe(
      'At most 5 characters. Matches ^a',
    );
    expect(limitsOf({ type: 'array', minItems: 1, maxItems: 3 })).toBe('1 to 3 items');
    expect(limitsOf({ type: 'number' })).toBe('');
  });
});

describe('a new value', () => {
  it('has what is required, and the defaults', () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string', default: 'x' }, size: { type: 'integer', minimum: 2 } },
      required: ['name', 'size'],
    };
    expect(startOf(schema, schema)).toEqual({ name: 'x', size: 2 });
  });

  it('follows the alternative it fits', () => {
    const options = [{ schema: { type: 'string' } }, { schema: { type: 'integer' } }];
    expect(alternativeOf(options, 3, {})).toBe(1);
    expect(alternativeOf(options, true, {})).toBe(0);
  });
});
