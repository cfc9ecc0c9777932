import { expect, it } from 'vitest';
import { filesInWords, fittingOf, type Offer } from './fitting.ts';

const offer = (name: string, media_types?: string[], kind: Offer['kind'] = 'template'): Offer => ({
  ...{ kind, id: 1, name, description: '', inputs: [{ name: 'in', media_types }] },
});
const files = [
  { id: 1, mime_type: 'application/pdf' },
  { id: 2, mime_type: 'application/pdf' },
  { id: 3, mime_type: 'image/png' },
  { id: 4 },
];

it('offers what takes some of the files, and tells which', () => {
  const found = fittingOf(
    [
      offer('Anything'),
      offer('Pictures', ['image/*']),
      offer('Texts', ['text/*']),
      offer('PDFs', ['application/pdf']),
      offer('Our PDFs', ['application/pdf'], 'workflow'),
    ],
    files,
  );
  expect(found.map(({ name, fits }) => [name, fits])).toEqual([
    ['Our PDFs', [1, 2]],
    ['PDFs', [1, 2]],
    ['Pictures', [3]],
    ['Anything', [1, 2, 3, 4]],
  ]);
});

it('says in words what the files are', () => {
  expect(filesInWords(files)).toBe('4 files: 2 PDFs, 1 picture and 1 other');
  expect(filesInWords(files.slice(0, 2))).toBe('2 files: 2 PDFs');
});
