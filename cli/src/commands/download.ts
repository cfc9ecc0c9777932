import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { json, requireCount } from '../arguments.ts';
import type { Cli, Command } from '../command.ts';
import { tellFault } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { listAll } from '../lists.ts';
import { findCog, isFile } from '../paths.ts';
import { Problem } from '../problem.ts';
import { checkFolder, type Recorded, type Saved, saveFile } from '../saving.ts';
import { count } from '../words.ts';

export const download: Command = {
  usage: 'download PATH [--into DIR] [--overwrite]',
  help: `saves a file, or the files of a folder, and verifies their checksums
  --into DIR    the folder on this machine, the current one unless given
  --overwrite   replace files that are there with other contents`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: {
        json,
        into: { type: 'string', default: '.' },
        overwrite: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    requireCount(positionals, { least: 1, most: 1, what: 'PATH' });
    const [path = '/'] = positionals;
    return async (cli) => {
      const into = resolve(cli.dir, values.into);
      await checkFolder(into);
      const files = await filesAt(cli, path);
      const saved = await saveAll(cli, files, { into, overwrite: values.overwrite });
      cli.answer(values.json, saved, () => [
        `${saved.length} of ${count(files.length, 'file')} in ${into}`,
      ]);
      return saved.length === files.length ? exitCodes.ok : exitCodes.failed;
    };
  },
};

/** Saves every file it can, and reports why others failed. */
async function saveAll(
  cli: Cli,
  files: Recorded[],
  options: { into: string; overwrite: boolean },
): Promise<Saved[]> {
  const saved: Saved[] = [];
  for (const file of files) {
    try {
      saved.push(await saveFile(cli, file, options));
    } catch (error) {
      tellFault(cli, error);
    }
  }
  return saved;
}

async function filesAt(cli: Cli, path: string): Promise<Recorded[]> {
  const { screen } = cli;
  const cog = await findCog(cli, path);
  if (isFile(cog)) return [recorded(cog)];
  const query = { parent_id: cog.id, sort: 'name', limit: 100 } as const;
  const rows = await listAll(cli, 'listCogs', { query });
  const files = rows.filter(isFile);
  const folders = rows.length - files.length;
  if (files.length === 0) throw new Problem(`There is no file in ${path}.`);
  if (folders > 0) screen.note(`${count(folders, 'folder')} in ${path} left out.`);
  return files.map(recorded);
}

const recorded = ({ id, name, size_bytes = 0, checksum_sha256 = '' }: Cog): Recorded => ({
  id,
  name,
  size_bytes,
  checksum_sha256,
});
