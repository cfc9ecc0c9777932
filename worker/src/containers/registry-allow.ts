/** Which registries a worker may call for a tenant, besides those on the public internet. Pure. */

import { isLoopback, parseHost } from '@cogworks/graph/image-reference';
import { contains, parseRange, type Range, reachOf } from '@cogworks/sdk/outbound/addresses';

/** `REGISTRY_ALLOW`, parsed. */
export type RegistryAllow = {
  /** Registries on this machine's loopback addresses, each only on its own port. */
  loopback: boolean;
  /** `registry.internal`, `registry.internal:5000`, in lower case. */
  hosts: ReadonlySet<string>;
  ranges: readonly Range[];
};

export const allowNothing: RegistryAllow = { loopback: false, hosts: new Set(), ranges: [] };

/** @returns undefined if the text is invalid. */
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
 * Whether `url` may be called at `address` for an image of `registry` (`host[:port]`). A registry
 * itself names the locations of its tokens and layers, so these must be public or allowed
 * addresses; on loopback, only the port in the image's name.
 */
export function mayCall(allow: RegistryAllow, registry: string, url: URL, address: string) {
  if (!mayCallScheme(allow, registry, url)) return false;
  if (isNamed(allow, url)) return true;
  const range = parseRange(address);
  if (range && allow.ranges.some((allowed) => contains(allowed, range))) return true;
  const reach = reachOf(address);
  return reach === 'public' || (reach === 'loopback' && allow.loopback && isOwn(registry, url));
}

/**
 * Plain HTTP is allowed only for a registry on loopback, or a loopback port named by the operator.
 */
export const mayCallScheme = (allow: RegistryAllow, registry: string, url: URL): boolean =>
  url.protocol === 'https:' ||
  (url.protocol === 'http:' &&
    isLoopback(url.host) &&
    (isOwn(registry, url) || isNamed(allow, url)));

function isNamed({ hosts }: RegistryAllow, { hostname, port, protocol }: URL): boolean {
  const used = port || (protocol === 'https:' ? '443' : '80');
  return hosts.has(hostname) || hosts.has(`${hostname}:${used}`);
}

/** Without a port, the scheme's default applies. */
function isOwn(registry: string, url: URL): boolean {
  const own = URL.canParse(`${url.protocol}//${registry}`)
    ? new URL(`${url.protocol}//${registry}`)
    : undefined;
  return own?.host === url.host;
}
