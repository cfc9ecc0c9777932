import { expect, it } from 'vitest';
import { placeFiles } from './dropped-files.ts';

it('makes the folders of a drop once each, and puts every file where it lay', async () => {
  const made: [number, string][] = [];
  const ensureFolder = async (parent: number, name: string) => {
    made.push([parent, name]);
    return 100 + made.length;
  };
  const file = (name: string) => new File([], name);

  const placed = await placeFiles(
    1,
    [
      { folders: [], file: file('a') },
      { folders: ['x', 'y'], file: file('b') },
      { folders: ['x', 'y'], file: file('c') },
      { folders: ['x'], file: file('d') },
      { folders: ['y'], file: file('e') },
    ],
    ensureFolder,
  );

  expect(made).toEqual([
    [1, 'x'],
    [101, 'y'],
    [1, 'y'],
  ]);
  expect(placed.map(({ folder_id, files }) => [folder_id, files.map(({ name }) => name)])).toEqual([
    [1, ['a']],
    [102, ['b', 'c']],
    [101, ['d']],
    [103, ['e']],
  ]);
});
