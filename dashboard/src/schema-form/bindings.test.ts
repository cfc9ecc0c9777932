import type { GraphVariable } from '@cogworks/graph/types';
import { describe, expect, it } from 'vitest';
import {
  boundTo,
  fittingVariables,
  looksLikeKey,
  sampleOf,
  suggestVariables,
  variableFor,
  withValueAt,
} from './bindings.ts';

const variables: GraphVariable[] = [
  { variable_name: 'width', type: 'integer', default: 280 },
  { variable_name: 'language', type: 'enum', enum: ['en', 'fr'], required: true },
  { variable_name: 'label', type: 'string', default: 'draft' },
];
const names = (some: GraphVariable[]) => some.map((one) => one.variable_name);

describe('a param that comes from a variable', () => {
  it('is exactly one reference', () => {
    expect(boundTo('{{ vars.width }}')).toBe('width');
    expect(boundTo('w {{vars.width}}')).toBeUndefined();
    expect(boundTo(280)).toBeUndefined();
  });

  it('can take the variables of a fitting type', () => {
    expect(names(fittingVariables(variables, { type: 'number' }, {}))).toEqual(['width']);
    expect(names(fittingVariables(variables, { type: 'string' }, {}))).toEqual([
      'language',
      'label',
    ]);
    expect(names(fittingVariables(variables, { type: 'boolean' }, {}))).toEqual([]);
    const root = { $defs: { size: { type: 'integer' } } };
    expect(names(fittingVariables(variables, { $ref: '#/$defs/size' }, root))).toEqual(['width']);
  });

  it('is completed after the opening braces', () => {
    const found = suggestVariables(variables, 'a-{{vars.la');
    expect(found?.from).toBe(2);
    expect(found?.options.map(({ insert }) => insert)).toEqual([
      '{{vars.language}}',
      '{{vars.label}}',
    ]);
    expect(suggestVariables(variables, '{{')?.options).toHaveLength(3);
    expect(suggestVariables(variables, 'width')).toBeNull();
    expect(suggestVariables(variables, '{{vars.width}} ')).toBeNull();
  });

  it('is shown with the defaults, and a name for what only a run will know', () => {
    expect(sampleOf('{{vars.label}}-{{vars.width}}', variables)).toBe('draft-280');
    expect(sampleOf('{{vars.language}}', variables)).toBe('‹language›');
    expect(sampleOf('{{vars.nothing}}', variables)).toBeUndefined();
    expect(sampleOf('plain', variables)).toBeUndefined();
  });
});

describe('a text in a graph, which everybody can read', () => {
  it('is told from keys and passwords', () => {
    expect(looksLikeKey('ghp_0123456789abcdefghijABCDEFGHIJ')).toBe(true);
    expect(looksLikeKey('postgres://me:secret@host/db')).toBe(true);
    expect(looksLikeKey('https://example.test/a:b')).toBe(false);
    expect(looksLikeKey('a plain label')).toBe(false);
  });
});

describe('a variable made from a param', () => {
  it('takes over its type, limits, words and value', () => {
    const schema = { type: 'integer', minimum: 1, maximum: 9, default: 3, description: 'Pages.' };
    expect(variableFor('pages', schema, 4, {})).toEqual({
      variable_name: 'pages',
      type: 'integer',
      default: 4,
      description: 'Pages.',
      minimum: 1,
      maximum: 9,
    });
    expect(variableFor('pages', schema, undefined, {})).toMatchObject({ default: 3 });
  });

  it('must be given if the param has no value', () => {
    expect(variableFor('name', { type: 'string' }, undefined, {})).toEqual({
      variable_name: 'name',
      type: 'string',
      required: true,
    });
  });

  it('has the choices of a choice', () => {
    expect(variableFor('mode', { enum: ['fit', 'fill'] }, 'fit', {})).toEqual({
      variable_name: 'mode',
      type: 'enum',
      default: 'fit',
      enum: ['fit', 'fill'],
    });
  });

  it('is impossible for secrets, lists and objects', () => {
    expect(variableFor('key', { type: 'string', 'x-secret': true }, undefined, {})).toBeNull();
    expect(variableFor('list', { type: 'array', items: { type: 'string' } }, [], {})).toBeNull();
  });

  it('is put in its place, however deep', () => {
    expect(withValueAt({ a: [{ b: 1 }, 2] }, ['a', '0', 'b'], 'x')).toEqual({
      a: [{ b: 'x' }, 2],
    });
    expect(withValueAt({}, ['a', 'b'], 'x')).toEqual({ a: { b: 'x' } });
  });
});
