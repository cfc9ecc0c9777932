/** Paths of names below the root, such as /Documents/a.pdf, resolved step by step. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import type { Cli } from './command.ts';
import { Problem } from './problem.ts';

export const isFile = (cog: Cog) => cog.cog_type === 'file';

/** @throws Problem that names the first part of the path that does not exist or is not visible. */
export async function findCog({ client, signal }: Cli, path: string): Promise<Cog> {
  // Names are stored as NFC; a terminal may send another encoding of the same letters.
  const names = path.normalize('NFC').split('/').filter(Boolean);
  let cog = await client.getRootCog({ signal });
  for (const [index, name] of names.entries()) {
    const place = `/${names.slice(0, index).join('/')}`;
    if (isFile(cog)) throw new Problem(`${place} is a file, not a folder.`);
    const [found] = await client.listCogs({ query: { parent_id: cog.id, name }, signal });
    if (!found) throw new Problem(`There is no “${name}” in ${place} that you may see.`);
    cog = found;
  }
  return cog;
}

/** @throws Problem if it is a file. */
export async function findFolder(cli: Cli, path: string): Promise<Cog> {
  const cog = await findCog(cli, path);
  if (isFile(cog)) throw new Problem(`${path} is a file, not a folder.`);
  return cog;
}
