/**
 * What a container with `egress` may reach: the internet, but not the worker's own network. Routes
 * in the container's network refuse the rest. They are set before its program starts, which may not
 * change routes.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import {
  parseRange,
  type Range,
  rangeText,
  specialRangesV4,
  without,
} from '@cogworks/sdk/outbound/addresses';

/** slirp4netns resolves names, using the machine's resolver. */
const resolver = '10.0.2.3';

/**
 * A network stack in user space: no bridge, no firewall rules on the host, and no route to its
 * loopback.
 */
export const egressArguments = [
  '--network=slirp4netns:allow_host_loopback=false,enable_ipv6=false',
  `--dns=${resolver}`,
];

/** The special-purpose ranges and this machine's own addresses, minus what the operator allows. */
export const refusedRanges = (allowed: readonly Range[]): Range[] =>
  without([...specialRangesV4, ...ownAddresses()], allowed);

function ownAddresses(): Range[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.flatMap(({ family, address }) =>
    family === 'IPv4' ? (parseRange(address) ?? []) : [],
  );
}

/**
 * Writes the folder of hooks for runs with egress. The engine runs them in the container's network,
 * before the program and with rights that it does not get; if one fails, the container does not
 * start.
 */
export async function writeEgressHooks(
  stateDir: string,
  ip: string,
  allowed: readonly Range[],
): Promise<string> {
  const folder = join(stateDir, 'egress-hooks');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const refuse = refusedRanges(allowed)
    // The network's own addresses have longer prefixes and take precedence; loopback has its own
    // table.
    .map((range) => `${quoted(ip)} route replace prohibit ${rangeText(range)}`)
    .join(' && ');
  await writeFile(
    join(folder, 'egress.json'),
    JSON.stringify({
      version: '1.0.0',
      hook: { path: '/bin/sh', args: ['sh', '-c', refuse || 'true'] },
      when: { always: true },
      stages: ['createContainer'],
    }),
  );
  return folder;
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
