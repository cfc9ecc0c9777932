import { parseArgs } from 'node:util';
import { downloadUrl } from '@cogworks/sdk/download';
import { json, requireCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { readDuration } from '../expiry.ts';
import { everyRow } from '../lists.ts';
import { findCogs } from '../paths.ts';
import { UsageProblem } from '../problem.ts';
import { localTime } from '../words.ts';

const longest_s = 86_400;

export const url: Command = {
  usage: 'url PATH… [--expires 1h] | url --list | url --revoke ID',
  help: `makes a URL that anybody can download from, of a file, or of folders and several as a ZIP
  --expires TIME   how long it works: 30m, 12h, at most 1d; an hour unless given
  --list           your URLs that still work, with their ids
  --revoke ID      ends one of them`,
  read(args) {
    const { values, positionals } = parseArgs({
      args,
      options: {
        json,
        expires: { type: 'string' },
        list: { type: 'boolean', default: false },
        revoke: { type: 'string' },
      },
      allowPositionals: true,
    });
    const { revoke } = values;
    if (revoke !== undefined && !/^\d{1,15}$/.test(revoke)) {
      throw new UsageProblem(`--revoke takes the id of a URL, not ${JSON.stringify(revoke)}.`);
    }
    const isMaking = !values.list && revoke === undefined;
    requireCount(positionals, isMaking ? { least: 1, what: 'PATH' } : { most: 0 });
    const expires_in = values.expires === undefined ? undefined : readDuration(values.expires);
    if (expires_in !== undefined && expires_in > longest_s) {
      throw new UsageProblem('--expires is at most 1d: a URL needs no key.');
    }
    return async (cli) => {
      const { client, signal } = cli;
      if (revoke !== undefined) {
        await client.revokeDownloadUrl({ path: { id: Number(revoke) }, signal });
        cli.answer(values.json, { id: Number(revoke) }, () => [`URL ${revoke} is revoked`]);
      } else if (values.list) {
        const rows = await everyRow(cli, 'listMyDownloadUrls', { query: { limit: 100 } });
        cli.answer(values.json, rows, () =>
          rows.map(
            ({ id, cog_ids, expires_at }) =>
              `${id}  until ${localTime(expires_at)}  of item ${cog_ids.join(', ')}`,
          ),
        );
      } else {
        const ids = (await findCogs(cli, positionals)).map(({ id }) => id);
        const made = await downloadUrl(client, { ids, expires_in, signal });
        cli.answer(values.json, made, () => [made.url]);
      }
      return exitCodes.ok;
    };
  },
};
