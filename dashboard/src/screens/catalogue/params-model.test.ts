import { schemaFaults } from '@cogworks/graph/schema-shape';
import { describe, expect, it } from 'vitest';
import { emptyParam, limitWords, type ParamRow, rowsOf, schemaOf } from './params-model.ts';

const row = (over: Partial<ParamRow>): ParamRow => ({ ...emptyParam, ...over });

const rows: ParamRow[] = [
  row({ name: 'width', type: 'integer', default: '280', minimum: '1', maximum: '4000' }),
  row({ name: 'ratio', type: 'number', minimum: '0' }),
  row({ name: 'mode', type: 'choice', choices: 'fit\nfill', default: 'fit', isRequired: true }),
  row({ name: 'crop', type: 'boolean', default: 'true', description: 'Cut the rest off.' }),
  row({ name: 'label' }),
  row({ name: 'key', type: 'secret' }),
];

describe('params as rows', () => {
  it('make a schema that registration takes, and are read back from it', () => {
    const schema = schemaOf(rows);
    expect(schemaFaults(schema)).toEqual([]);
    expect(schema).toMatchObject({
      properties: {
        width: { type: 'integer', minimum: 1, maximum: 4000, default: 280 },
        mode: { enum: ['fit', 'fill'] },
        crop: { default: true },
        key: { 'x-secret': true },
      },
      required: ['mode'],
      additionalProperties: false,
    });
    expect(rowsOf(schema)).toEqual(rows);
  });

  it('send what is no number unchanged, so that its fault is told at its place', () => {
    const { properties } = schemaOf([row({ name: 'n', type: 'integer', minimum: 'one' })]);
    expect(properties).toEqual({ n: { type: 'integer', minimum: 'one' } });
  });

  it('leave schemas that say more to JSON', () => {
    const saysMore = [
      { type: 'object', properties: { a: { type: 'array' } } },
      { type: 'object', properties: { a: { type: 'string', pattern: '^x' } } },
      { type: 'object', properties: { a: { enum: [1, 2] } } },
      { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
      { type: 'object', properties: {}, if: {} },
      { type: 'object', properties: { a: true } },
    ];
    expect(saysMore.map(rowsOf)).toEqual(saysMore.map(() => undefined));
    expect(rowsOf({})).toEqual([]);
  });

  it('tell their limits in words', () => {
    expect(rows.map(limitWords)).toEqual([
      'from 1 to 4000',
      'at least 0',
      'one of fit, fill',
      '',
      '',
      '',
    ]);
  });
});
