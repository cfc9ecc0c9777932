import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { restoreMany } from '@cogworks/sdk/change-many';
import type { TrashedCog } from '@cogworks/sdk/contract.gen';
import { json, requireCount } from '../arguments.ts';
import { tellFaults } from '../changed.ts';
import type { Cli, Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { Problem, UsageProblem } from '../problem.ts';
import { listTrash, placeOf } from '../trashed.ts';
import { count } from '../words.ts';

export const restore: Command = {
  usage: 'restore PATH-OR-ID… [--as NAME]',
  help: `takes files and folders out of the trash; \`trash\` lists what is there
  PATH-OR-ID   where it was, or its id
  --as NAME    a new name for one of which the old one is taken`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { json, as: { type: 'string' } },
      allowPositionals: true,
    });
    requireCount(positionals, { least: 1, what: 'PATH-OR-ID' });
    if (values.as !== undefined && positionals.length > 1) {
      throw new UsageProblem('--as is a new name for one; restore these in another call.');
    }
    return async (cli) => {
      const trash = await listTrash(cli);
      const [found, ...more] = positionals.map((word) => findTrashed(trash, word));
      if (found && more.length === 0) return restoreOne(cli, found, values);
      const rows = found ? [found, ...more] : [];
      const changed = await restoreMany(cli.client, rows, { signal: cli.signal });
      const restored = tellFaults(cli, changed).flatMap(({ cog }) => cog ?? []);
      cli.answer(values.json, restored, () => [
        `${restored.length} of ${count(rows.length, 'item')} restored`,
      ]);
      return restored.length === rows.length ? exitCodes.ok : exitCodes.failed;
    };
  },
};

async function restoreOne(
  cli: Cli,
  { id }: TrashedCog,
  { as, json }: { as?: string | undefined; json: boolean },
): Promise<number> {
  const cog = await cli.client.restoreCog({
    path: { id },
    body: as === undefined ? {} : { name: as },
    idempotencyKey: randomUUID(),
    signal: cli.signal,
  });
  cli.answer(json, cog, () => [`${cog.name} is restored`]);
  return exitCodes.ok;
}

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
