import { parseArgs } from 'node:util';
import type { Cog } from '@cogworks/sdk/contract.gen';
import { json, requireCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { tellFault } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { findCogs } from '../paths.ts';
import { count } from '../words.ts';

export const rm: Command = {
  usage: 'rm PATH… [--permanent]',
  help: `moves files and folders to the trash; \`restore\` takes them out again
  --permanent   remove them for ever instead`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { json, permanent: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    requireCount(positionals, { least: 1, what: 'PATH' });
    return async (cli) => {
      const { client, signal } = cli;
      const cogs = await findCogs(cli, positionals);
      const removed: Cog[] = [];
      for (const cog of cogs) {
        const path = { id: cog.id };
        try {
          await client.deleteCog({ path, signal });
          // The service removes for ever only what is in the trash.
          if (values.permanent)
            await client.deleteCog({ path, query: { permanent: true }, signal });
          removed.push(cog);
        } catch (error) {
          tellFault(cli, error);
        }
      }
      const where = values.permanent ? 'removed for ever' : 'in the trash';
      cli.answer(values.json, removed, () => [
        `${removed.length} of ${count(cogs.length, 'item')} ${where}`,
      ]);
      return removed.length === cogs.length ? exitCodes.ok : exitCodes.failed;
    };
  },
};
