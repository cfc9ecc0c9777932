/** Paths of names below the root, such as /Documents/a.pdf, resolved step by step. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import type { Cli } from './command.ts';
import { everyRow } from './lists.ts';
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

/** Names of one folder that are looked up one by one; for more the folder is listed. */
const fewNames = 50;

/**
 * All of them, so that a typing error in the last one is found before the first is changed. Each
 * folder is looked up once.
 */
export async function findCogs(cli: Cli, paths: string[]): Promise<Cog[]> {
  if (paths.length === 1) return [await findCog(cli, paths[0] ?? '')];
  const found = new Map<string, Cog>();
  const above = (path: string) => namesOf(path).slice(0, -1).join('/');
  for (const [place, inside] of Map.groupBy(paths, above)) {
    const named = await childrenOf(cli, await findFolder(cli, place), inside.length);
    for (const path of inside) {
      const name = namesOf(path).at(-1);
      const cog = name === undefined ? undefined : await named(name);
      // One that is not there is looked for once more, for the message.
      found.set(path, cog ?? (await findCog(cli, path)));
    }
  }
  return paths.flatMap((path) => found.get(path) ?? []);
}

/** @returns a function that finds what has a name in the folder. */
async function childrenOf(cli: Cli, folder: Cog, names: number) {
  if (names <= fewNames) return (name: string) => childOf(cli, folder, name);
  const query = { parent_id: folder.id, limit: 1000 };
  const rows = await everyRow(cli, 'listCogs', { query });
  const byName = new Map(rows.map((row) => [row.name, row]));
  return (name: string) => Promise.resolve(byName.get(name));
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
