import { definition, mapped, node } from '@cogworks/graph/examples';
import type { GraphVariable } from '@cogworks/graph/types';
import { describe, expect, it } from 'vitest';
import { resultFor, suggestNames } from './conditions.ts';

const variables: GraphVariable[] = [
  { variable_name: 'width', type: 'integer', default: 80 },
  { variable_name: 'language', type: 'string', required: true },
];
const scope = {
  node: mapped('a', 1),
  definition: definition(1, ['in'], ['out'], {
    params: { properties: { quality: { type: 'integer', default: 5 } } },
  }),
  variables,
};
const inserts = (text: string, of = scope) =>
  suggestNames(of, text)?.options.map(({ insert }) => insert);

describe('the condition of a step', () => {
  it('is completed by variables, the file and settings', () => {
    expect(inserts('vars.wi')).toEqual(['vars.width']);
    expect(inserts('1 == si')).toEqual(['file.size_bytes']);
    expect(inserts('params')).toEqual(['params.quality']);
    expect(inserts('starts')).toEqual(['startsWith(']);
  });

  it('offers a file only where there is one', () => {
    expect(inserts('file', { ...scope, node: node('a', 1) })).toEqual([]);
  });

  it('is not completed within a text', () => {
    expect(inserts('file.name == "wid')).toBeUndefined();
    expect(inserts('file.name == "a" && wid')).toEqual(['vars.width']);
  });

  it('is told for a file, with the defaults', () => {
    const file = { name: 'a.pdf', stem: 'a', media_type: 'application/pdf', size_bytes: 41_000 };
    expect(resultFor('file.size_bytes > 50000', scope, file)).toBe(false);
    expect(resultFor('vars.width == 80 && params.quality == 5', scope, file)).toBe(true);
    expect(resultFor('vars.language == "en"', scope, file)).toBeNull();
    expect(resultFor('file.size_bytes >', scope, file)).toBeNull();
  });
});
