/** Paths of names below the root, such as /Documents/a.pdf, resolved step by step. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import type { Cli } from './command.ts';
import { Problem } from './problem.ts';

export const isFile = (cog: Cog) => cog.cog_type === 'file';

/** Names are stored as NFC; a terminal may send another encoding of the same letters. */
export const namesOf = (path: string): string[] => path.normalize('NFC').split('/').filter(Boolean);

/** @throws Problem that names the first part of the path that does not exist or is not visible. */
export async function findCog(cli: Cli, path: string): Promise<Cog> {
  const names = namesOf(path);
  let cog = await cli.client.getRootCog({ signal: cli.signal });
  for (const [index, name] of names.entries()) {
    const place = `/${names.slice(0, index).join('/')}`;
    if (isFile(cog)) throw new Problem(`${place} is a file, not a folder.`);
    const found = await childOf(cli, cog, name);
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

/** All of them, so that a typing error in the last one is found before the first is changed. */
export async function findCogs(cli: Cli, paths: string[]): Promise<Cog[]> {
  const cogs: Cog[] = [];
  for (const path of paths) cogs.push(await findCog(cli, path));
  return cogs;
}

/** What has this name in a folder, if the caller may see it. */
export async function childOf(
  { client, signal }: Cli,
  { id }: Cog,
  name: string,
): Promise<Cog | undefined> {
  const [found] = await client.listCogs({ query: { parent_id: id, name }, signal });
  return found;
}

/** @throws Problem for the root, which has no name. */
export function splitPath(path: string): { above: string; name: string } {
  const names = namesOf(path);
  const name = names.pop();
  if (name === undefined) throw new Problem('The root is there already, and it has no name.');
  return { above: `/${names.join('/')}`, name };
}

/** Where something is to go: a folder, and a name in it unless it keeps its own. */
export type Target = { folder: Cog; name?: string };

/**
 * An existing folder means into it. Any other path means the last name in the folder before it.
 *
 * @throws Problem if that folder does not exist, or if the path ends with / and does not exist.
 */
export async function findTarget(cli: Cli, path: string): Promise<Target> {
  if (namesOf(path).length === 0) return { folder: await findFolder(cli, '/') };
  const { above, name } = splitPath(path);
  const folder = await findFolder(cli, above);
  const found = await childOf(cli, folder, name);
  if (found && !isFile(found)) return { folder: found };
  if (path.endsWith('/')) {
    throw new Problem(
      found
        ? `${path} is a file, not a folder.`
        : `There is no folder ${path}; make it with mkdir.`,
    );
  }
  return { folder, name };
}
