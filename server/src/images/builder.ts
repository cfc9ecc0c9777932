/**
 * Makes the images that are wanted, in the background of a server. Several servers share the work:
 * each image is made by one of them, and by another if that one dies.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../db/connection.ts';
import { keepPlatformImage } from '../resources/registry/platform.ts';
import type { Services } from '../services.ts';
import type { Layer } from './building/layer.ts';
import { readMade, withImage } from './building/made.ts';
import { ImageProblem, requirePrograms } from './building/programs.ts';
import {
  addFailed,
  claimImage,
  forgetFailures,
  isAnyWanted,
  noteStep,
  setFailed,
  setLeftFailed,
  setReady,
  setWanted,
} from './queries.ts';
import { allImages, type ImageName, recipeOf } from './recipes/all.ts';

type Parts = Pick<Services, 'config' | 'db' | 'storage' | 'keys' | 'limits' | 'log'>;

/** A build says that it goes on this often; without a word for longer it has died. */
const beat_ms = 5000;
const silentSeconds = 30;

/** Beside notices, which may be lost, and for builds that died. */
const look_ms = 15_000;

/** @returns a function that gives back what is being made. */
export function startImageBuilder(services: Parts & Pick<Services, 'notices'>) {
  const { db, notices, log } = services;
  const stopping = new AbortController();
  let work: Promise<unknown> | undefined;
  const look = () => {
    work ??= makeWanted(services, stopping.signal)
      .catch((err: unknown) => log.error({ err }, 'could not make images'))
      .finally(() => {
        work = undefined;
      });
  };
  const unsubscribe = notices.on('images', look);
  const timer = setInterval(look, look_ms);
  work = begin(db, services, stopping.signal)
    .catch((err: unknown) => log.error({ err }, 'could not see whether images can be made'))
    .finally(() => {
      work = undefined;
      look();
    });
  return {
    stop: async () => {
      stopping.abort();
      unsubscribe();
      clearInterval(timer);
      await work;
    },
  };
}

const workDir = ({ config }: Pick<Parts, 'config'>) => join(config.data_dir, 'images');

/** Says at once if this machine can make none, so that it is known before one is needed. */
async function begin(db: Db, services: Parts, signal: AbortSignal): Promise<void> {
  await removeLeft(workDir(services));
  const why = await problemHere(signal);
  if (signal.aborted) return;
  if (why === undefined) await forgetFailures(db, allImages);
  else await addFailed(db, allImages, why);
}

/** Why this machine can make no image. */
async function problemHere(signal: AbortSignal): Promise<string | undefined> {
  try {
    await requirePrograms(signal);
    return undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof ImageProblem)) throw error;
    return error.message;
  }
}

/** Longer than any image takes. */
const oldest_ms = 3600 * 1000;

/** Removes what builds left that were killed. Others may work there now. */
async function removeLeft(dir: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const path = join(dir, name);
    const { mtimeMs = Date.now() } = (await stat(path).catch(() => undefined)) ?? {};
    if (Date.now() - mtimeMs > oldest_ms) await rm(path, { recursive: true, force: true });
  }
}

/**
 * How long a machine that can make none leaves an image to others. They look every 15 s, a busy one
 * later; giving up fails runs that would only have waited.
 */
const patience = { silentSeconds, aloneSeconds: 30, othersSeconds: 300 };

/**
 * Makes what is wanted, one after the other. A machine that cannot leaves it to others, and says why
 * nobody makes it if there are none.
 *
 * @param say is told what is being done.
 */
export async function makeWanted(
  services: Parts,
  signal: AbortSignal,
  say: (image: ImageName, step: string) => void = () => undefined,
): Promise<void> {
  const { db } = services;
  if (!(await isAnyWanted(db, allImages, silentSeconds))) return;
  const why = await problemHere(signal);
  if (signal.aborted) return;
  if (why !== undefined) {
    await setLeftFailed(db, allImages, why, patience);
    return;
  }
  for (;;) {
    if (signal.aborted) return;
    const image = await claimImage(db, allImages, silentSeconds);
    if (!image) return;
    await build(services, image, signal, (step) => say(image, step));
  }
}

async function build(
  services: Parts,
  image: ImageName,
  signal: AbortSignal,
  say: (step: string) => void,
): Promise<void> {
  const { db, log } = services;
  const recipe = recipeOf(image);
  if (!recipe) return;
  const began = performance.now();
  const note = (step: string | null) =>
    noteStep(db, image, step).catch((err: unknown) => log.warn({ err }, 'a step was not noted'));
  const beat = setInterval(() => void note(null), beat_ms);
  const tell = (step: string) => {
    say(step);
    void note(step);
  };
  try {
    const making = { dir: workDir(services), signal, say: tell };
    await withImage(recipe, making, (layer) => keepImage(services, image, layer));
    const took_s = Math.round((performance.now() - began) / 1000);
    log.info({ image: image.name, took_s }, 'made an image for templates');
  } catch (error) {
    if (signal.aborted) {
      await setWanted(db, image);
      return;
    }
    const why = wordsOf(error);
    log.warn({ image: image.name, err: error }, 'could not make an image for templates');
    await setFailed(db, image, why);
  } finally {
    clearInterval(beat);
  }
}

/** Stores an image in the registry, for everybody. */
async function keepImage(services: Parts, image: ImageName, layer: Layer): Promise<void> {
  const { db } = services;
  const digest = await keepPlatformImage(services, image, layer);
  await setReady(db, image, { digest, size_bytes: layer.size_bytes });
}

/** Stores an image that was made elsewhere. @returns whether the folder has it. */
export async function takeImage(services: Parts, from: string, image: ImageName): Promise<boolean> {
  const layer = await readMade(from, image);
  if (layer) await keepImage(services, image, layer);
  return layer !== undefined;
}

function wordsOf(error: unknown): string {
  if (error instanceof ImageProblem) return error.message;
  const { stderr, message } = error as Error & { stderr?: string };
  const last = stderr?.trim().split('\n').at(-1);
  return `It could not be put together: ${(last || message).slice(0, 500)}`;
}
