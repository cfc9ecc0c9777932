/** Pulls an image into the local store, each time with the tenant's own credentials. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImageReference, isLoopback, parseImage } from '@cogworks/graph/image-reference';
import { AttemptError } from '../attempt-error.ts';
import { requireArchitecture } from './architecture.ts';
import { callProgram, lastLine, type Program } from './command.ts';
import { askDigest } from './manifest.ts';
import { openRegistry } from './registry.ts';
import type { RegistryAllow } from './registry-allow.ts';
import { notFound, notPulled, refused, unreachable } from './registry-errors.ts';
import { openRelay } from './registry-relay.ts';
import type { PulledImage, RegistryAuth } from './types.ts';

export type PodmanProgram = Program & {
  private_dir: string;
  registry_allow: RegistryAllow;
};

/** A large image over a slow line takes long. */
const longestPull_ms = 60 * 60_000;

/**
 * `<registry>/<repository>@<digest>` of images this process pulled, to their ids. The repository is
 * part of the key because a registry itself reports digests: a tenant's own registry could report
 * the digest of another tenant's image, to run that from the local store.
 */
export type PulledImages = Map<string, string>;

type Pulling = { signal: AbortSignal; say?: ((words: string) => void) | undefined };

export async function pullImage(
  podman: PodmanProgram,
  pulled: PulledImages,
  reference: string,
  auth: RegistryAuth | null,
  { signal, say = () => undefined }: Pulling,
): Promise<PulledImage> {
  const image = parseImage(reference);
  if (!image) {
    throw new AttemptError('image_not_found', `"${reference}" is not the name of an image.`);
  }
  const repository = `${image.registry}/${image.repository}`;
  if (await hasSettings(image)) {
    const id = await podmanPull(podman, image, auth, null, signal);
    await requireArchitecture(podman, image, id);
    const found = await digestOf(podman, id, repository);
    pulled.set(`${repository}@${found}`, id);
    return { image_id: id, digest: found };
  }
  const registry = openRegistry(image, auth, podman.registry_allow, signal);
  const isOwn = image.registry === podman.registry_allow.own;
  const digest = await askDigest(image, registry, { auth, isOwn, signal, say });
  const known = digest && pulled.get(`${repository}@${digest}`);
  if (digest && known) return { image_id: known, digest };

  const exact: ImageReference = digest ? { ...image, selector: digest, digest } : image;
  const relay = await openRelay(exact, registry);
  const id = await podmanPull(podman, exact, null, relay.settings, signal)
    .catch((error: unknown) => {
      throw relay.fault() instanceof AttemptError ? relay.fault() : error;
    })
    .finally(relay.close);
  await requireArchitecture(podman, image, id);
  const found = digest ?? (await digestOf(podman, id, repository));
  pulled.set(`${repository}@${found}`, id);
  return { image_id: id, digest: found };
}

/**
 * The operator may have mirrors, other addresses or blocked registries in registries.conf. Only the
 * engine can interpret these, so such an image is always pulled by the engine itself. `insecure`
 * alone is ignored for a loopback address, as tests use it.
 */
async function hasSettings(image: ImageReference): Promise<boolean> {
  const path = process.env.CONTAINERS_REGISTRIES_CONF ?? '/etc/containers/registries.conf';
  const lines = (await readFile(path, 'utf8').catch(() => ''))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const special = lines.some((line) => /^(\[\[?registry\.mirror|mirror|blocked|prefix)/.test(line));
  const isNamed = (text: string) => {
    const name = text.replace(/^\*\./, '');
    const isWildcard = name !== text;
    return isWildcard
      ? image.registry.split(':')[0]?.endsWith(`.${name}`)
      : `${image.registry}/${image.repository}/`.startsWith(`${name}/`);
  };
  const names = lines.flatMap(
    (line) => /^(?:prefix|location)\s*=\s*["']([^"']+)/.exec(line)?.[1] ?? [],
  );
  return names.some(isNamed) && (special || !isLoopback(image.registry));
}

/** @param settings the registries.conf that leads to the relay; null for the operator's own. */
async function podmanPull(
  podman: PodmanProgram,
  image: ImageReference,
  auth: RegistryAuth | null,
  settings: string | null,
  signal: AbortSignal,
): Promise<string> {
  const folder = await mkdtemp(join(podman.private_dir, 'pull-'));
  try {
    const authFile = join(folder, 'auth.json');
    // Written even if empty: without a file, the engine would use the operator's own logins.
    await writeFile(authFile, authJson(image.registry, auth), { mode: 0o600 });
    const address = `${image.registry}/${image.repository}${image.digest ? '@' : ':'}${image.selector}`;
    const settingsFile = join(folder, 'registries.conf');
    if (settings !== null) await writeFile(settingsFile, settings);
    const result = await callProgram(
      settings === null
        ? podman
        : { ...podman, env: { ...podman.env, CONTAINERS_REGISTRIES_CONF: settingsFile } },
      [
        ...['pull', '--quiet', '--authfile', authFile],
        ...(settings === null && isLoopback(image.registry) ? ['--tls-verify=false'] : []),
        address,
      ],
      { cwd: folder, signal, timeout_ms: longestPull_ms },
    );
    if (result.code !== 0) throw pullError(image, auth, result.stderr);
    return lastLine(result.stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const authJson = (registry: string, auth: RegistryAuth | null) =>
  JSON.stringify({
    auths: auth && {
      [registry]: { auth: Buffer.from(`${auth.username}:${auth.password}`).toString('base64') },
    },
  });

/** Podman's exit code is the same for all of these; only its message differs. */
export function pullError(
  image: ImageReference,
  auth: RegistryAuth | null,
  stderr: string,
): AttemptError {
  if (/unauthorized|authentication required|access .*denied|invalid username/i.test(stderr)) {
    return refused(image, auth);
  }
  if (
    /manifest unknown|name unknown|not found: manifest|no image found in manifest/i.test(stderr)
  ) {
    return notFound(image);
  }
  const why = unreachableReason(stderr);
  if (why !== undefined) return unreachable(image, why);
  if (/no space left/.test(stderr)) return notPulled(image, 'the worker has no disk space left.');
  return notPulled(image, withoutSecrets(lastLine(stderr)).slice(-300));
}

function unreachableReason(stderr: string): string | undefined {
  if (/connection refused|connection reset|no route to host|network is unreachable/.test(stderr))
    return 'does not answer';
  if (/no such host/.test(stderr)) return 'is not known: there is no host of that name';
  if (/i\/o timeout|deadline exceeded|TLS handshake timeout/.test(stderr))
    return 'did not answer in time';
  if (/x509|tls:/.test(stderr)) return 'shows a certificate that the worker does not trust';
  return undefined;
}

/** Registries redirect to signed URLs, and podman quotes a failed one. */
const withoutSecrets = (text: string) =>
  text.replace(/\/\/[^/\s@"]*@/g, '//').replace(/\?[^\s"']*/g, '');

async function digestOf(podman: PodmanProgram, id: string, repository: string): Promise<string> {
  const format = '{{range .RepoDigests}}{{println .}}{{end}}';
  const { stdout } = await callProgram(podman, ['image', 'inspect', '--format', format, id]);
  const own = stdout.split('\n').find((line) => line.startsWith(`${repository}@`));
  return own?.split('@')[1] ?? `sha256:${id}`;
}
