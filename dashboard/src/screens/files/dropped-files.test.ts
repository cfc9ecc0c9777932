import { expect, it } from 'vitest';
import { chosenFile, pathOf } from './dropped-files.ts';

it('tells the path of a file by the folders it was dropped or chosen with', () => {
  const file = new File([], 'scan.png');
  expect(pathOf({ folders: [], file })).toBe('scan.png');
  expect(pathOf({ folders: ['2026', 'May'], file })).toBe('2026/May/scan.png');

  expect(pathOf(chosenFile(file))).toBe('scan.png');
  Object.defineProperty(file, 'webkitRelativePath', { value: '2026/May/scan.png' });
  expect(pathOf(chosenFile(file))).toBe('2026/May/scan.png');
});
