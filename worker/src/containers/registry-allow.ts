/** Which registries a worker may call for a tenant, besides those on the public internet. Pure. */

import { isLoopback, parseHost } from '@cogworks/graph/image-reference';
import { parseRange, type Range, reachOf } from '@cogworks/sdk/outbound/addresses';
import { type Allowed, isInRanges, isNamed } from '@cogworks/sdk/outbound/allowed';

/** `REGISTRY_ALLOW`, parsed. */
export type RegistryAllow = Allowed & {
  /** Registries on this machine's loopback addresses, each only on its own port. */
  loopback: boolean;
  /** The registry of the worker's server (`host[:port]`), which may be called at any address. */
  own?: string;
  /** Its clients speak plain HTTP with it, as the worker itself does. */
  own_is_plain?: boolean;
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
  if (isNamed(allow, url) || isInRanges(allow, address)) return true;
  // The server is trusted anyway, and only for its own images; its name may lead to an internal address.
  if (registry === allow.own && isOwn(registry, url)) return true;
  const reach = reachOf(address);
  return reach === 'public' || (reach === 'loopback' && allow.loopback && isOwn(registry, url));
}

/**
 * Plain HTTP is allowed only for a registry on loopback, or a loopback port named by the operator;
 * and for the server's own registry, if the server has no other address.
 */
export const mayCallScheme = (allow: RegistryAllow, registry: string, url: URL): boolean =>
  url.protocol === 'https:' ||
  (url.protocol === 'http:' &&
    ((allow.own_is_plain === true && registry === allow.own && isOwn(registry, url)) ||
      (isLoopback(url.host) && (isOwn(registry, url) || isNamed(allow, url)))));

/** Whether a registry (`host[:port]`) is asked by plain HTTP first. */
export const isPlain = ({ own, own_is_plain = false }: RegistryAllow, registry: string): boolean =>
  isLoopback(registry) || (own_is_plain && registry === own);

/** Where the server's own registry is. @param url of the server, as its clients know it. */
export const ownRegistryAt = (url: string) => ({
  own: new URL(url).host,
  own_is_plain: new URL(url).protocol === 'http:',
});

/** Without a port, the scheme's default applies. */
function isOwn(registry: string, url: URL): boolean {
  const own = URL.canParse(`${url.protocol}//${registry}`)
    ? new URL(`${url.protocol}//${registry}`)
    : undefined;
  return own?.host === url.host;
}
