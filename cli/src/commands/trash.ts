import { parseArgs } from 'node:util';
import { json, requireCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { listTrash, placeOf } from '../trashed.ts';
import { localTime } from '../words.ts';

export const trash: Command = {
  usage: 'trash [--empty]',
  help: `lists what is in the trash: its id, when it was deleted, and where it was
  --empty   remove all of it for ever`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: { json, empty: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    requireCount(positionals, { most: 0 });
    return async (cli) => {
      if (values.empty) await cli.client.emptyTrash({ signal: cli.signal });
      const rows = await listTrash(cli);
      const width = Math.max(0, ...rows.map(({ id }) => String(id).length));
      cli.answer(values.json, rows, (paint) =>
        rows.map(
          (row) =>
            `${String(row.id).padStart(width)}  ${paint('dim', localTime(row.deleted_at))}  ${placeOf(row)}`,
        ),
      );
      return exitCodes.ok;
    };
  },
};
