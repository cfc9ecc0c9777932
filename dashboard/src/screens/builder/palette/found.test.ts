import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import { findIn, fittingOnes, latestOf } from './found.ts';

const definition = (
  id: number,
  name: string,
  takes: string[],
  makes: string | undefined,
): NodeDefinition =>
  ({
    id,
    name,
    title: name,
    description: `Does ${name}`,
    category: 'files',
    inputs: [{ name: 'in', cardinality: 'one', media_types: takes }],
    outputs: [{ name: 'out', glob: '*', cardinality: 'one', media_type: makes }],
  }) as unknown as NodeDefinition;

const catalogue = [
  definition(1, 'resize', ['image/*'], 'image/png'),
  definition(2, 'pages', ['application/pdf'], 'image/png'),
  definition(3, 'count', [], 'text/csv'),
  definition(4, 'sharpen', ['image/png'], 'image/png'),
  definition(5, 'resize', ['image/*'], 'image/png'),
];
const names = (found: readonly { name: string }[]) => found.map(({ name }) => name);

describe('the catalogue', () => {
  it('shows of each name the version that was registered last', () => {
    const ids = latestOf(catalogue).map(({ id }) => id);
    expect(ids.toSorted()).toEqual([2, 3, 4, 5]);
  });

  it('is searched by words of title, name and description', () => {
    expect(names(findIn(catalogue, 'does SHARP'))).toEqual(['sharpen']);
    expect(names(findIn(catalogue, 'nothing like it'))).toEqual([]);
  });

  it('is searched by what a node takes and makes', () => {
    expect(names(findIn(catalogue, 'takes pdf'))).toEqual(['pages']);
    expect(names(findIn(catalogue, 'makes csv'))).toEqual(['count']);
    expect(names(findIn(catalogue, 'takes pdf makes csv'))).toEqual([]);
  });

  it('offers behind a port what takes its files, the very type first, then the most used', () => {
    const fitting = fittingOnes(latestOf(catalogue), 'behind', ['image/png'], new Map([[3, 2]]));
    expect(names(fitting.map((one) => one.definition))).toEqual(['sharpen', 'resize', 'count']);
  });

  it('offers before a port what makes its files', () => {
    const fitting = fittingOnes(latestOf(catalogue), 'before', ['text/csv'], new Map());
    expect(names(fitting.map((one) => one.definition))).toEqual(['count']);
  });
});
