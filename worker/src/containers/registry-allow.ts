/** Which registries a worker calls for a tenant, beyond those of the public internet. Pure. */

import { isLoopback, parseHost } from '@cogworks/graph/image-reference';
import { contains, parseRange, type Range, reachOf } from '@cogworks/sdk/outbound/addresses';

/** `REGISTRY_ALLOW`, read. */
export type RegistryAllow = {
  /** Registries on this machine's loopback addresses, each on its own port alone. */
  loopback: boolean;
  /** `registry.internal`, `registry.internal:5000`, in small letters. */
  hosts: ReadonlySet<string>;
  ranges: readonly Range[];
};

export const allowNothing: RegistryAllow = { loopback: false, hosts: new Set(), ranges: [] };

/** @returns undefined for a text that cannot be read. */
export function parseRegistryAllow(text: string): RegistryAllow | undefined {
  const words = text.split(',').map((word) => word.trim().toLowerCase());
  const hosts = new Set<string>();
  const ranges: Range[] = [];
  let loopback = false;
  for (const word of words.filter(Boolean)) {
    const range = parseRange(word);
    if (word === 'loopback') loopback = true;
    else if (range) ranges.push(range);
    else {
      const host = parseHost(word);
      if (host === null) return undefined;
      hosts.add(host);
    }
  }
  return { loopback, hosts, ranges };
}

/**
 * Whether `url` may be called at `address` for an image of `registry` (`host[:port]`). The registry
 * says itself where its tokens and layers are, so the places that it names are public addresses or
 * allowed ones; on loopback, only the port that the image names.
 */
export function mayCall(allow: RegistryAllow, registry: string, url: URL, address: string) {
  if (!mayCallScheme(allow, registry, url)) return false;
  if (isNamed(allow, url)) return true;
  const range = parseRange(address);
  if (range && allow.ranges.some((allowed) => contains(allowed, range))) return true;
  const reach = reachOf(address);
  return reach === 'public' || (reach === 'loopback' && allow.loopback && isOwn(registry, url));
}

/** Over plain HTTP only to a registry on loopback itself, or to a port on loopback the operator names. */
export const mayCallScheme = (allow: RegistryAllow, registry: string, url: URL): boolean =>
  url.protocol === 'https:' ||
  (url.protocol === 'http:' &&
    isLoopback(url.host) &&
    (isOwn(registry, url) || isNamed(allow, url)));

function isNamed({ hosts }: RegistryAllow, { hostname, port, protocol }: URL): boolean {
  const used = port || (protocol === 'https:' ? '443' : '80');
  return hosts.has(hostname) || hosts.has(`${hostname}:${used}`);
}

/** The port that is not said is that of the scheme. */
function isOwn(registry: string, url: URL): boolean {
  const own = URL.canParse(`${url.protocol}//${registry}`)
    ? new URL(`${url.protocol}//${registry}`)
    : undefined;
  return own?.host === url.host;
}
