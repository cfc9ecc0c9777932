import { parseArgs } from 'node:util';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { json, requireCount } from '../arguments.ts';
import type { Cli, Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { listAll } from '../lists.ts';
import { findCog, isFile } from '../paths.ts';
import type { Paint } from '../terminal.ts';
import { localTime, size } from '../words.ts';

export const ls: Command = {
  usage: 'ls [PATH]',
  help: 'lists the files and folders in PATH, the root unless given',
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { json },
      allowPositionals: true,
    });
    requireCount(positionals, { most: 1 });
    const [path = '/'] = positionals;
    return async (cli) => {
      const rows = await listAt(cli, path);
      cli.answer(values.json, rows, (paint) => table(rows, paint));
      return exitCodes.ok;
    };
  },
};

async function listAt(cli: Cli, path: string): Promise<Cog[]> {
  const cog = await findCog(cli, path);
  if (isFile(cog)) return [cog];
  const query = { parent_id: cog.id, sort: 'name', limit: 100 } as const;
  return listAll(cli, 'listCogs', { query });
}

function table(rows: Cog[], paint: Paint): string[] {
  const sizes = rows.map((cog) => (isFile(cog) ? size(cog.size_bytes ?? 0) : ''));
  const width = Math.max(0, ...sizes.map((text) => text.length));
  return rows.map((cog, index) => {
    const name = isFile(cog) ? cog.name : paint('cyan', `${cog.name}/`);
    return `${(sizes[index] ?? '').padStart(width)}  ${paint('dim', localTime(cog.updated_at))}  ${name}`;
  });
}
