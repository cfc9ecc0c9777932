/** What an operator allows to be called besides the public internet. Pure. */
import { contains, parseRange, type Range } from './addresses.ts';

export type Allowed = {
  /** `hooks.internal`, `hooks.internal:8443`, in lower case. */
  hosts: ReadonlySet<string>;
  ranges: readonly Range[];
};

/** Whether the host of a URL is listed, with its port or without one. */
export function isNamed({ hosts }: Pick<Allowed, 'hosts'>, url: URL): boolean {
  const { hostname, port, protocol } = url;
  const used = port || (protocol === 'https:' ? '443' : '80');
  return hosts.has(hostname) || hosts.has(`${hostname}:${used}`);
}

/** Whether an address is in one of the ranges. */
export function isInRanges({ ranges }: Pick<Allowed, 'ranges'>, address: string): boolean {
  const range = parseRange(address);
  return range !== undefined && ranges.some((allowed) => contains(allowed, range));
}
