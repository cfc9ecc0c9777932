/**
 * The images of the templates that come with a release: which are there, and which are to be made.
 * Any process may want one; those that serve make them (builder.ts), one at a time.
 */
import type { Db } from '../db/connection.ts';
import type { Tag } from '../db/statement.ts';
import { addWanted, findImages, forgetFailures, type ImageRow } from './queries.ts';
import { type ImageName, recipeOf } from './recipes/all.ts';

export type ImageState = Pick<ImageRow, 'step' | 'size_bytes'> & {
  /** `absent` until it is wanted for the first time. */
  state: 'absent' | 'building' | 'ready' | 'failed';
};

/** A failure may pass, as without a network, but not within this. */
const pauseSeconds = 60;

/** How far these images are, in their order. */
export async function statesOf(db: Tag, images: readonly ImageName[]): Promise<ImageState[]> {
  if (images.length === 0) return [];
  const rows = await findImages(db, images);
  return images.map((image) => {
    const row = rows.find(({ name, tag }) => name === image.name && tag === image.tag);
    if (!row) return { state: 'absent' };
    const { state, name: _, tag: __, ...rest } = row;
    return { ...rest, state: state === 'wanted' ? 'building' : state };
  });
}

/** Has those images made that are not there, as far as this release knows how. */
export async function wantImages(db: Db, images: readonly ImageName[]): Promise<void> {
  const known = images.filter(recipeOf);
  if (known.length > 0) await addWanted(db, known, pauseSeconds);
}

/** Has an image made that somebody waits for, if it is not there. @returns how far it is then. */
export async function wantNow(db: Db, image: ImageName): Promise<ImageState> {
  await wantImages(db, [image]);
  const [state] = await statesOf(db, [image]);
  return state ?? { state: 'absent' };
}

/** Has them made although they failed a moment ago. */
export async function wantAgain(db: Db, images: readonly ImageName[]): Promise<void> {
  await forgetFailures(db, images);
  await wantImages(db, images);
}
