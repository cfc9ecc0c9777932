import { parseArgs } from 'node:util';
import { deleteMany, purgeMany } from '@cogworks/sdk/change-many';
import { json, requireCount } from '../arguments.ts';
import { tellFaults } from '../changed.ts';
import type { Command } from '../command.ts';
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
      const deleted = tellFaults(cli, await deleteMany(client, cogs, { signal }));
      let removed = deleted.map(({ item }) => item);
      // The service removes for ever only what is in the trash.
      if (values.permanent) {
        const purged = tellFaults(cli, await purgeMany(client, removed, { signal }));
        removed = purged.map(({ item }) => item);
      }
      const where = values.permanent ? 'removed for ever' : 'in the trash';
      cli.answer(values.json, removed, () => [
        `${removed.length} of ${count(cogs.length, 'item')} ${where}`,
      ]);
      return removed.length === cogs.length ? exitCodes.ok : exitCodes.failed;
    };
  },
};
