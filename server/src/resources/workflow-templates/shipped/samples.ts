/**
 * Files to try the templates of a release on. Most sets have one that is damaged on purpose, so that
 * a first run shows what becomes of the others.
 */
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sample } from '../schema.ts';

const folder = join(import.meta.dirname, 'samples');

const sample = (name: string, media_type: string, is_damaged = false): Sample => ({
  ...{ name, media_type, is_damaged },
  size_bytes: statSync(join(folder, name)).size,
});

const text = [sample('harbour.txt', 'text/plain'), sample('clockmaker.txt', 'text/plain')];
const pdf = [
  sample('gear-trains.pdf', 'application/pdf'),
  sample('orreries.pdf', 'application/pdf'),
];
const pictures = [sample('dial.jpg', 'image/jpeg'), sample('orrery.jpg', 'image/jpeg')];

/** By what a template takes. */
export const samples = {
  texts: [...text, sample('damaged.txt', 'text/plain', true)],
  old_texts: [
    sample('cafe-1998.txt', 'text/plain'),
    sample('harbour.txt', 'text/plain'),
    sample('damaged-letters.txt', 'text/plain', true),
  ],
  pdfs: [...pdf, sample('damaged.pdf', 'application/pdf', true)],
  whole_pdfs: pdf,
  pictures: [...pictures, sample('damaged.jpg', 'image/jpeg', true)],
  whole_pictures: pictures,
  scans: [sample('letter.png', 'image/png'), sample('damaged.png', 'image/png', true)],
  mixed: [...text, ...pictures],
} satisfies Record<string, readonly Sample[]>;

export const readSample = ({ name }: Sample) => readFile(join(folder, name));
