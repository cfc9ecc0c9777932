import { parseArgs } from 'node:util';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { listPage } from '@cogworks/sdk/pages';
import { json, requireCount } from '../arguments.ts';
import type { Cli, Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { findCog, isFile } from '../paths.ts';
import type { Paint } from '../terminal.ts';
import { localTime, size } from '../words.ts';

export const ls: Command = {
  usage: 'ls [PATH] [-l]',
  help: `lists the files and folders in PATH, the root unless given
  -l, --long   also your level, the number of the version, and the SHA-256 checksum`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { json, long: { type: 'boolean', short: 'l', default: false } },
      allowPositionals: true,
    });
    requireCount(positionals, { most: 1, what: 'PATH' });
    const [path = '/'] = positionals;
    return async (cli) => {
      const cog = await findCog(cli, path);
      const pages = isFile(cog) ? [[cog]] : pagesOf(cli, cog);
      await cli.answerPages(values.json, pages, tableOf(values.long));
      return exitCodes.ok;
    };
  },
};

/** A folder of a million files is shown while it is read. */
async function* pagesOf({ client, signal }: Cli, { id }: Cog): AsyncGenerator<Cog[]> {
  const query = { parent_id: id, sort: 'name', limit: 1000 } as const;
  let cursor: string | undefined;
  do {
    const page = await listPage(client, 'listCogs', { query, signal }, cursor);
    yield page.rows;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** @returns a function that formats pages, the columns at least as wide as in the pages before. */
function tableOf(isLong: boolean): (rows: Cog[], paint: Paint) => string[] {
  let width = 0;
  return (rows, paint) => {
    const sizes = rows.map((cog) => (isFile(cog) ? size(cog.size_bytes ?? 0) : ''));
    width = Math.max(width, ...sizes.map((text) => text.length));
    return rows.map((cog, index) => {
      const name = isFile(cog) ? cog.name : paint('cyan', `${cog.name}/`);
      const facts = isLong ? `${paint('dim', factsOf(cog))}  ` : '';
      return `${(sizes[index] ?? '').padStart(width)}  ${paint('dim', localTime(cog.updated_at))}  ${facts}${name}`;
    });
  };
}

const noChecksum = '-'.padEnd(64);

function factsOf({ access, version, checksum_sha256 }: Cog): string {
  const number = version === undefined ? '-' : `v${version}`;
  return `${access.level.padEnd(6)}  ${number.padEnd(4)}  ${checksum_sha256 ?? noChecksum}`;
}
