import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nextName } from './next-name.ts';

it('numbers names before their extension', () => {
  const names = [
    ['photo.jpg', 'photo (2).jpg'],
    ['photo (2).jpg', 'photo (3).jpg'],
    ['notes', 'notes (2)'],
    ['.profile', '.profile (2)'],
    ['archive.tar.gz', 'archive.tar (2).gz'],
    ['a.b/c (9)/notes', 'a.b/c (9)/notes (2)'],
  ] as const;
  for (const [name, next] of names) assert.equal(nextName(name), next);
});
