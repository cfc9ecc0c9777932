/** The parts of an image's name, as registries and the word "server" of a registry secret mean them. */

export interface ImageReference {
  /** Host, with port where there is one: `docker.io`, `127.0.0.1:5000`. */
  registry: string;
  repository: string;
  /** What is asked for: a digest where one is given, else the tag. */
  selector: string;
  digest: string | null;
}

const SHAPE =
  /^(?<name>[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*)(?::(?<tag>\w[\w.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$/;
const HOST =
  /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+|\[[0-9a-f:]+\])(?::\d{1,5})?$|^[a-z0-9-]+:\d{1,5}$/i;

/** Null when it is not an image's name. Without a host it is Docker Hub's, as everywhere. */
export function parseImage(reference: string): ImageReference | null {
  const slash = reference.indexOf('/');
  const first = slash > 0 ? reference.slice(0, slash) : '';
  const hasHost = HOST.test(first);
  const registry = hasHost ? first.toLowerCase() : 'docker.io';
  const match = SHAPE.exec(hasHost ? reference.slice(slash + 1) : reference);
  if (!match?.groups?.name) return null;

  const { name, tag = 'latest', digest = null } = match.groups;
  const repository = registry === 'docker.io' && !name.includes('/') ? `library/${name}` : name;
  return { registry, repository, selector: digest ?? tag, digest };
}

/** `127.0.0.1:5000`, `[::1]`, `localhost:80`: no network in between, so plain HTTP is no risk. */
export function isLoopback(registry: string): boolean {
  const host = registry.replace(/:\d+$/, '');
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
