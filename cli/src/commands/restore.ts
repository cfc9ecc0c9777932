import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { TrashedCog } from '@cogworks/sdk/contract.gen';
import { json, requireCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { Problem } from '../problem.ts';
import { listTrash, placeOf } from '../trashed.ts';

export const restore: Command = {
  usage: 'restore PATH-OR-ID [--as NAME]',
  help: `takes a file or folder out of the trash; \`trash\` lists what is there
  PATH-OR-ID   where it was, or its id
  --as NAME    a new name, when the old one is taken`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { json, as: { type: 'string' } },
      allowPositionals: true,
    });
    requireCount(positionals, { least: 1, most: 1, what: 'PATH-OR-ID' });
    const [word = ''] = positionals;
    return async (cli) => {
      const found = findTrashed(await listTrash(cli), word);
      const cog = await cli.client.restoreCog({
        path: { id: found.id },
        body: values.as === undefined ? {} : { name: values.as },
        idempotencyKey: randomUUID(),
        signal: cli.signal,
      });
      cli.answer(values.json, cog, () => [`${cog.name} is restored`]);
      return exitCodes.ok;
    };
  },
};

/** @throws Problem if there is none, or if several were there. */
function findTrashed(rows: TrashedCog[], word: string): TrashedCog {
  const path = word.normalize('NFC');
  const byId = rows.find(({ id }) => String(id) === word);
  const [found, ...more] = byId
    ? [byId]
    : rows.filter((row) => row.name === path || placeOf(row) === path);
  if (!found) throw new Problem(`There is no ${word} in the trash; \`trash\` lists what is there.`);
  if (more.length > 0) {
    const ids = [found, ...more].map(({ id }) => id).join(', ');
    throw new Problem(`Several in the trash are called ${word}; say which by its id: ${ids}`);
  }
  return found;
}
