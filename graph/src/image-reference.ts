/**
 * The name of a container image, and its registry. The server gives a worker the credentials for
 * that registry and the worker sends them there, so both use this parser: if two parsers disagreed,
 * one tenant's password could be sent to another host.
 */
export type ImageReference = {
  /** Host, with the port if there is one: `docker.io`, `127.0.0.1:5000`. */
  registry: string;
  repository: string;
  /** The digest, if there is one; otherwise the tag. */
  selector: string;
  digest: string | null;
};

const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const shape = new RegExp(
  `^(?<repository>${component}(?:/${component})*)(?::(?<tag>\\w[\\w.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$`,
);
const mostCharacters = 500;
/** Of registry and repository together, as in other tools. */
const mostOfName = 255;

/**
 * `[host[:port]/]path[:tag][@digest]`, by the grammar that all engines share. Without a host it is
 * on Docker Hub.
 *
 * @returns null if it is not an image name.
 */
export function parseImage(text: string): ImageReference | null {
  if (text.length > mostCharacters) return null;
  const slash = text.indexOf('/');
  const first = text.slice(0, Math.max(0, slash));
  // `team/tool` is a path on Docker Hub; only these mark a host.
  const hasHost = /[.:]/.test(first) || first.toLowerCase() === 'localhost';
  const registry = hasHost ? parseRegistry(first) : 'docker.io';
  const parts = shape.exec(hasHost ? text.slice(slash + 1) : text)?.groups;
  if (registry === null || parts?.repository === undefined) return null;

  const { tag = 'latest', digest = null } = parts;
  const isShort = registry === 'docker.io' && !parts.repository.includes('/');
  const repository = isShort ? `library/${parts.repository}` : parts.repository;
  if (registry.length + 1 + repository.length > mostOfName) return null;
  return { registry, repository, selector: digest ?? tag, digest };
}

/** The registry of an image; null if the text is not an image name. */
export const registryOf = (image: string): string | null => parseImage(image)?.registry ?? null;

/** The same image by its digest, instead of any tag or digest it had. */
export const withDigest = (image: string, digest: string): string =>
  `${image.replace(/@.*$/s, '')}@${digest}`;

/**
 * The registry of the installation itself, whatever its address is. Definitions never change, and
 * that address may, so the server puts it in place of this name in each work order.
 */
export const ownRegistry = 'cogworks.internal';

/** The same image in another registry. */
export const atRegistry = (image: string, registry: string): string =>
  `${registry}${image.slice(image.indexOf('/'))}`;

/** Docker Hub has several names, and is the default without a host. */
const dockerHub = new Set([
  'docker.io',
  'index.docker.io',
  'registry-1.docker.io',
  'hub.docker.com',
]);

/** `host[:port]` in the canonical form used for comparison; null if it is invalid. */
function parseRegistry(text: string): string | null {
  const host = parseHost(text);
  return host !== null && dockerHub.has(host) ? 'docker.io' : host;
}

const hostShape =
  /^(?<host>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])(?::(?<port>[1-9]\d{0,4}))?$/;

/**
 * `host[:port]` in lower case, an IPv6 address in its shortest form.
 *
 * @returns null if it is invalid: no user name, path or space, and only one way to write an
 *   address.
 */
export function parseHost(text: string): string | null {
  const { host, port } = hostShape.exec(text.toLowerCase())?.groups ?? {};
  if (host === undefined || Number(port ?? 1) > 65_535) return null;

  // Numbers such as 127.1 and 0x7f000001 are addresses to some programs and names to others.
  const url = `http://${host}`;
  const hostname = URL.canParse(url) ? new URL(url).hostname : '';
  if (hostname !== host && !hostname.startsWith('[')) return null;
  return port === undefined ? hostname : `${hostname}:${port}`;
}

/** The host in a user's notation of a registry, such as `https://Registry.Example:5000/v2/`. */
export const registryFromUrl = (text: string): string | null =>
  parseRegistry(
    text
      .trim()
      .replace(/^https?:\/\//i, '')
      .replace(/\/.*$/s, ''),
  );

/** `127.0.0.1:5000`, `[::1]`, `localhost:80`: no network is involved, so plain HTTP is safe. */
export function isLoopback(registry: string): boolean {
  const host = registry.replace(/:\d+$/, '');
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
