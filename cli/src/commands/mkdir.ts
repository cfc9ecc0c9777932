import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { json, requireCount } from '../arguments.ts';
import type { Cli, Command } from '../command.ts';
import { tellFault } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { childOf, findFolder, namesOf, splitPath } from '../paths.ts';
import { Problem } from '../problem.ts';

export const mkdir: Command = {
  usage: 'mkdir PATH… [-p]',
  help: `makes folders
  -p, --parents   make the folders above as well, and accept folders that exist`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { json, parents: { type: 'boolean', short: 'p', default: false } },
      allowPositionals: true,
    });
    requireCount(positionals, { least: 1, what: 'PATH' });
    return async (cli) => {
      const made: Cog[] = [];
      for (const path of positionals) {
        try {
          made.push(await (values.parents ? makeAll(cli, path) : makeOne(cli, path)));
        } catch (error) {
          tellFault(cli, error);
        }
      }
      cli.answer(values.json, made, () => []);
      return made.length === positionals.length ? exitCodes.ok : exitCodes.failed;
    };
  },
};

async function makeOne(cli: Cli, path: string): Promise<Cog> {
  const { above, name } = splitPath(path);
  const folder = await findFolder(cli, above);
  return create(cli, folder, name);
}

async function makeAll(cli: Cli, path: string): Promise<Cog> {
  const names = namesOf(path);
  // Before the first one is made.
  const dots = names.find((name) => name === '.' || name === '..');
  if (dots) throw new Problem(`“${dots}” in ${path} is no name: paths begin at the root.`);
  let folder = await findFolder(cli, '/');
  for (const name of names) {
    const next = (await childOf(cli, folder, name)) ?? (await createOrFind(cli, folder, name));
    if (next.cog_type === 'file') {
      throw new Problem(`“${name}” in ${path} is a file, so no folder can be there.`);
    }
    folder = next;
  }
  return folder;
}

/** Another program may make the same folder at the same time. */
async function createOrFind(cli: Cli, folder: Cog, name: string): Promise<Cog> {
  try {
    return await create(cli, folder, name);
  } catch (error) {
    const isTaken = error instanceof ApiError && error.code === 'name_collision';
    const found = isTaken ? await childOf(cli, folder, name) : undefined;
    if (!found) throw error;
    return found;
  }
}

const create = ({ client, signal }: Cli, { id }: Cog, name: string): Promise<Cog> =>
  client.createFolder({
    body: { name, cog_type: 'asset_folder', parent_id: id },
    idempotencyKey: randomUUID(),
    signal,
  });
