/**
 * Asks a registry, with these credentials, for the current digest of an image. That takes about 5
 * ms on a local registry; a `podman pull` that finds nothing new takes 110. Both prevent a tenant
 * from running an image that only another tenant may pull.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ImageReference } from '@cogworks/graph/image-reference';
import type { Registry } from './registry.ts';
import { readText } from './registry-calls.ts';
import { notFound, notPulled, refused } from './registry-errors.ts';
import type { RegistryAuth } from './types.ts';

const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** How long an image is awaited that its registry has to make first. */
const longestWait_ms = 15 * 60_000;

export type Asking = {
  auth: RegistryAuth | null;
  /** It is the server's own, whose words are for users. */
  isOwn: boolean;
  signal: AbortSignal;
  /** Is told what the own registry says while it is waited for. */
  say: (words: string) => void;
};

/**
 * Waits while the registry says that it will have the image soon.
 *
 * @returns null if the registry does not say. @throws AttemptError if it refuses or does not
 *   answer.
 */
export async function askDigest(image: ImageReference, registry: Registry, asking: Asking) {
  const { auth, isOwn } = asking;
  const path = `manifests/${image.selector}`;
  const answer = await patiently(image, registry, path, asking);
  const { statusCode } = answer;
  if (statusCode === 401 || statusCode === 403) throw refused(image, auth);
  if (statusCode === 404) throw notFound(image, isOwn ? await reasonIn(registry, path) : '');
  const digest = answer.headers['docker-content-digest'];
  const isDigest = typeof digest === 'string' && /^sha256:[0-9a-f]{64}$/.test(digest);
  return statusCode === 200 && isDigest ? digest : null;
}

/** Asks again while the answer is "not yet", in the pauses that the registry names. */
async function patiently(
  image: ImageReference,
  registry: Registry,
  path: string,
  { isOwn, signal, say }: Asking,
) {
  const deadline = performance.now() + longestWait_ms;
  for (let said = ''; ; ) {
    const answer = await registry.open('HEAD', path, manifestTypes);
    answer.destroy();
    const pause_s = Number(answer.headers['retry-after']);
    const isThere = answer.statusCode !== 404 && answer.statusCode !== 503;
    if (isThere || !(pause_s >= 1 && pause_s <= 60)) return answer;
    if (performance.now() > deadline) throw notPulled(image, 'it is still not there.');
    const words = isOwn ? await reasonIn(registry, path) : '';
    if (words !== said) say(words);
    said = words;
    await delay(pause_s * 1000, undefined, { signal });
  }
}

/** What the registry says of an image that it does not have, or not yet. A HEAD has no body. */
async function reasonIn(registry: Registry, path: string): Promise<string> {
  const answer = await registry.open('GET', path, manifestTypes);
  try {
    const { errors } = JSON.parse(await readText(answer)) as { errors?: { message?: unknown }[] };
    const message = errors?.[0]?.message;
    return typeof message === 'string' ? message.slice(0, 500) : '';
  } catch {
    return '';
  }
}
