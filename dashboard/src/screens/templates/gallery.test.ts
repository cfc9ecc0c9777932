import { expect, it } from 'vitest';
import { categoriesOf, shownOf } from './gallery.ts';

const template = (name: string, category: string, scope = 'platform') => ({
  ...{ name, category, scope },
  description: `Makes ${name.toLowerCase()}.`,
});
const rows = [
  template('Thumbnails', 'Images'),
  template('Our scans', 'Documents', 'tenant'),
  template('Contact sheet', 'Images'),
  template('Plain', ''),
];
const names = (filter: Parameters<typeof shownOf>[1]) =>
  shownOf(rows, filter).map((row) => row.name);

it('shows the own ones first, and all by name', () => {
  expect(names({})).toEqual(['Our scans', 'Contact sheet', 'Plain', 'Thumbnails']);
});

it('finds all words in any order, and keeps to a category', () => {
  expect(names({ q: 'images  makes' })).toEqual(['Contact sheet', 'Thumbnails']);
  expect(names({ q: 'THUMB' })).toEqual(['Thumbnails']);
  expect(names({ category: 'Documents' })).toEqual(['Our scans']);
  expect(names({ q: 'thumb', category: 'Documents' })).toEqual([]);
});

it('names the categories that there are', () => {
  expect(categoriesOf(rows)).toEqual(['Documents', 'Images']);
});
