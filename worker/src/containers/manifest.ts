/**
 * One authenticated question to a registry: which digest does this image have now, for these
 * credentials? About 5 ms on a local registry where a `podman pull` that finds nothing new takes
 * 110; both keep a tenant from running what only another tenant may pull.
 */
import { type ImageReference, isLoopback } from './image-reference.ts';
import { ContainerError, type RegistryAuth } from './types.ts';

const MANIFEST_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

const TIMEOUT_MS = 10_000;

/**
 * Null: no clear answer this way (a certificate only the engine knows, a proxy, a mirror); then the
 * engine's own pull must find out. A clear refusal is a ContainerError.
 */
export async function askDigest(
  image: ImageReference,
  auth: RegistryAuth | null,
  signal: AbortSignal,
): Promise<string | null> {
  const host = image.registry === 'docker.io' ? 'registry-1.docker.io' : image.registry;
  const schemes = isLoopback(image.registry) ? ['http', 'https'] : ['https'];
  for (const scheme of schemes) {
    const url = `${scheme}://${host}/v2/${image.repository}/manifests/${image.selector}`;
    const response = await head(url, image, auth, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof ContainerError) throw error;
      return null;
    });
    if (!response) continue;
    if (response.status === 200) {
      const digest = response.headers.get('docker-content-digest') ?? '';
      return /^sha256:[0-9a-f]{64}$/.test(digest) ? digest : null;
    }
    if (response.status === 401 || response.status === 403) throw refused(image, auth);
    if (response.status === 404) throw notFound(image);
  }
  return null;
}

async function head(
  url: string,
  image: ImageReference,
  auth: RegistryAuth | null,
  signal: AbortSignal,
): Promise<Response> {
  const ask = (authorization: string | null) =>
    fetch(url, {
      method: 'HEAD',
      headers: { accept: MANIFEST_TYPES, ...(authorization && { authorization }) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });

  const first = await ask(null);
  if (first.status !== 401) return first;
  const challenge = first.headers.get('www-authenticate') ?? '';
  if (/^bearer /i.test(challenge)) {
    return ask(`Bearer ${await fetchToken(challenge, url, image, auth, signal)}`);
  }
  return auth ? ask(basic(auth)) : first;
}

async function fetchToken(
  challenge: string,
  url: string,
  image: ImageReference,
  auth: RegistryAuth | null,
  signal: AbortSignal,
): Promise<string> {
  const said = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
  );
  const realm = new URL(said.realm ?? '', url);
  // Whoever runs the registry names this address; a password goes nowhere in the clear for it.
  if (realm.protocol !== 'https:' && !isLoopback(realm.host)) throw new Error('token over http');
  if (said.service) realm.searchParams.set('service', said.service);
  realm.searchParams.set('scope', `repository:${image.repository}:pull`);

  const response = await fetch(realm, {
    ...(auth && { headers: { authorization: basic(auth) } }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  if (response.status === 401 || response.status === 403) throw refused(image, auth);
  const body = (await response.json()) as { token?: string; access_token?: string };
  const token = body.token ?? body.access_token;
  if (!token) throw new Error('no token');
  return token;
}

const basic = ({ username, password }: RegistryAuth) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

export const imageName = ({ repository, selector, digest }: ImageReference) =>
  `${repository}${digest ? '@' : ':'}${selector}`;

export const refused = (image: ImageReference, auth: RegistryAuth | null) =>
  new ContainerError(
    'registry_auth',
    auth
      ? `The registry ${image.registry} refused the stored credentials for the image ${imageName(image)}.`
      : `The registry ${image.registry} asks for credentials for the image ${imageName(image)}, and none are stored.`,
  );

export const notFound = (image: ImageReference) =>
  new ContainerError(
    'image_not_found',
    `The registry ${image.registry} has no image ${imageName(image)}.`,
  );

/** `why` ends the sentence that begins with the registry: "does not answer". */
export const unreachable = (image: ImageReference, why: string) =>
  new ContainerError('image_pull', `The registry at ${image.registry} ${why}.`);

export const notPulled = (image: ImageReference, why: string) =>
  new ContainerError(
    'image_pull',
    `The image ${imageName(image)} could not be pulled from the registry at ${image.registry}: ${why}`,
  );
