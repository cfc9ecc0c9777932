/**
 * Looks names up by DNS alone, without the machine's file of hosts. The machine's own look-up holds
 * one of four threads, which also read and write files: slow names of users would stop those.
 */
import { Resolver } from 'node:dns/promises';

/** @throws NodeJS.ErrnoException `ENOTFOUND`, `ENODATA` or another if there is no address. */
export async function resolveByDns(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 3000, tries: 2 });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [v4, v6].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
}
