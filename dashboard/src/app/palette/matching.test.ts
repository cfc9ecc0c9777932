import { expect, it } from 'vitest';
import { matching, runIn, versionIn } from './matching.ts';

const rows = [
  { label: 'Audit log', words: 'who did what' },
  { label: 'New folder' },
  { label: 'My folders' },
  { label: 'Folder of scans' },
];
const found = (text: string, most = 9) => matching(rows, text, most).map(({ label }) => label);

it('finds all words in any order, those that begin so first', () => {
  expect(found('fold')).toEqual(['Folder of scans', 'New folder', 'My folders']);
  expect(found('FOLDER new')).toEqual(['New folder']);
  expect(found('what who')).toEqual(['Audit log']);
  expect(found('fold', 1)).toEqual(['Folder of scans']);
  expect(found('  ')).toEqual([]);
});

it('understands the number of a run, and of a version', () => {
  expect([runIn('12'), runIn('#12'), runIn('Run 12'), runIn('12 letters')]).toEqual([
    ...[12, 12, 12, undefined],
  ]);
  expect(versionIn('Clean scans v2')).toEqual({ rest: 'Clean scans', number: 2 });
  expect(versionIn('Clean scans version')).toEqual({ rest: 'Clean scans', number: undefined });
  expect(versionIn('Clean')).toEqual({ rest: 'Clean', number: undefined });
});
