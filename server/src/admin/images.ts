/** Makes the images of the shipped templates by hand, and carries them between machines. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeWanted, takeImage } from '../images/builder.ts';
import { makeInto } from '../images/building/made.ts';
import { ImageProblem } from '../images/building/programs.ts';
import { type ImageState, statesOf, wantAgain } from '../images/images.ts';
import { allImages, type ImageName, recipeOf } from '../images/recipes/all.ts';
import { usualLimits } from '../limits.ts';
import { makeLog } from '../log.ts';
import { openStorage } from '../roles/parts.ts';
import { requireOwnStorage } from '../storage/own-storage.ts';
import { Faults, type Parts } from './command.ts';

/** How often to look at an image that a server makes at the moment. */
const look_ms = 500;

const say = ({ name }: ImageName, step: string) => console.error(`${name}: ${step} …`);

/** Ctrl-C gives back what is being made, and removes its folder. */
async function untilStopped(work: (signal: AbortSignal) => Promise<string>): Promise<string> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.once(name, stop);
  try {
    return await work(stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) throw new Faults('Stopped. What was ready stays.');
    throw error instanceof ImageProblem ? new Faults(error.message) : error;
  } finally {
    for (const name of signals) process.off(name, stop);
  }
}

/**
 * @param from a folder with images that were made elsewhere.
 * @returns what there is in the end.
 * @throws Faults with the reasons if some could not be made.
 */
export const makeImages = (parts: Parts, from?: string): Promise<string> =>
  untilStopped((signal) => makeAll(parts, from, signal));

async function makeAll({ config, db, keys }: Parts, from: string | undefined, signal: AbortSignal) {
  const storage = await openStorage({ config, keys, baseUrl: () => config.base_url ?? '' });
  await requireOwnStorage(db, storage, true);
  const services = { config, db, storage, keys, limits: usualLimits, log: makeLog('silent') };
  if (from !== undefined) await takeAll(services, resolve(from));
  await wantAgain(db, allImages);
  let states: ImageState[];
  let told = '';
  do {
    await makeWanted(services, signal, say);
    signal.throwIfAborted();
    states = await statesOf(db, allImages);
    const other = states.findIndex(({ state }) => state === 'building');
    const words = `${allImages[other]?.name}: a server is making it: ${states[other]?.step ?? ''}`;
    if (other >= 0 && words !== told) console.error(words);
    told = words;
    if (other >= 0) await delay(look_ms, undefined, { signal });
  } while (states.some(({ state }) => state === 'building'));
  const lines = allImages.map((image, at) => lineOf(image, states[at]));
  if (states.some(({ state }) => state !== 'ready')) throw new Faults(lines.join('\n'));
  return lines.join('\n');
}

/** Takes all that are missing, also those that somebody makes at the moment. */
async function takeAll(services: Parameters<typeof takeImage>[0], folder: string): Promise<void> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new Faults(`There is no folder ${folder}.`);
  const states = await statesOf(services.db, allImages);
  for (const image of allImages.filter((_, at) => states[at]?.state !== 'ready')) {
    const isTaken = await takeImage(services, folder, image);
    say(image, isTaken ? 'Taken from the folder' : 'The folder has none of this release');
  }
}

/** Makes all images into a folder. */
export const fillFolder = (into: string): Promise<string> =>
  untilStopped((signal) => fillAll(resolve(into), signal));

async function fillAll(folder: string, signal: AbortSignal): Promise<string> {
  for (const image of allImages) {
    const recipe = recipeOf(image);
    const tell = (step: string) => say(image, step);
    if (recipe) await makeInto(folder, image, recipe, { signal, say: tell });
  }
  return `${allImages.map(({ name }) => name).join(', ')}: in ${folder}`;
}

const lineOf = (
  { name, tag }: ImageName,
  { state, step = '', size_bytes = 0 } = {} as Partial<ImageState>,
) =>
  state === 'ready'
    ? `${name}:${tag} is ready, ${(size_bytes / 1e6).toFixed(0)} MB`
    : `${name}:${tag} is missing. ${step}`;
