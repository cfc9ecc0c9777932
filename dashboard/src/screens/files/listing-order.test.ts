import type { Cog } from '@cogworks/sdk/contract.gen';
import { expect, it } from 'vitest';
import { compareNames } from '../../cogs.ts';
import { withInserted } from './listing-order.ts';

let id = 0;
const cog = (name: string, more: Partial<Cog> = {}) =>
  ({ id: ++id, name, cog_type: 'file', size_bytes: 1, updated_at: '2026-01-01', ...more }) as Cog;
const folder = (name: string) => cog(name, { cog_type: 'asset_folder', size_bytes: undefined });

function namesWith(
  pages: Cog[][],
  added: Cog,
  sort: 'name' | '-name' | '-size_bytes',
  hasMore = false,
) {
  const put = withInserted(
    pages.map((rows) => ({ rows })),
    added,
    { sort, hasMore },
  );
  return put.map(({ rows }) => rows.map(({ name }) => name).join(' ')).join(' | ');
}

it('puts a new one where the service would', () => {
  const pages = [
    [folder('B'), folder('D')],
    [cog('b'), cog('d')],
  ];
  expect(namesWith(pages, folder('C'), 'name')).toBe('B C D | b d');
  expect(namesWith(pages, folder('E'), 'name')).toBe('B D | E b d');
  expect(namesWith(pages, cog('a'), 'name')).toBe('B D | a b d');
  expect(namesWith(pages, cog('e'), 'name')).toBe('B D | b d e');
  expect(namesWith([[folder('D'), cog('d'), cog('b')]], cog('c'), '-name')).toBe('D d c b');
  const bySize = [[folder('B'), cog('x', { size_bytes: 9 }), cog('y', { size_bytes: 2 })]];
  expect(namesWith(bySize, cog('z', { size_bytes: 5 }), '-size_bytes')).toBe('B x z y');
  expect(namesWith(bySize, folder('A'), '-size_bytes')).toBe('A B x y');
  expect(namesWith([[]], cog('a'), 'name')).toBe('a');
});

it('leaves to the next page what stands behind the loaded rows', () => {
  expect(namesWith([[cog('a'), cog('b')]], cog('c'), 'name', true)).toBe('a b');
});

it('orders names by their numbers, letters, accents and case, and equal ones by code point', () => {
  const ordered = [
    '_a',
    '2 b',
    '10 b',
    'Äpfel',
    'apple',
    'cafe',
    'Cafe',
    'café',
    's 01',
    's 1',
    's 2',
    's 10',
    'Z',
  ];
  expect(ordered.toReversed().toSorted(compareNames)).toEqual(ordered);
  expect(namesWith([[cog('s2'), cog('s10')]], cog('s3'), 'name')).toBe('s2 s3 s10');
  expect(namesWith([[cog('s10'), cog('s2')]], cog('s3'), '-name')).toBe('s10 s3 s2');
});
