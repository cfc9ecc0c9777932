import { parseArgs } from 'node:util';
import { json, requireCount } from '../arguments.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

export const whoami: Command = {
  usage: 'whoami',
  help: 'says whose key COGWORKS_API_KEY is, and of which server',
  read(args) {
    const { values, positionals } = parseArgs({ args, options: { json }, allowPositionals: true });
    requireCount(positionals, { most: 0 });
    return async ({ client, baseUrl, answer, signal }) => {
      const me = await client.getMe({ signal });
      const name = [me.first_name, me.last_name].filter(Boolean).join(' ');
      answer(values.json, me, () => [
        `${me.email}${name && ` (${name})`}, ${me.role} of tenant ${me.tenant_id} at ${baseUrl}`,
      ]);
      return exitCodes.ok;
    };
  },
};
