import { randomUUID } from 'node:crypto';
import type { Cog } from '@cogworks/sdk/contract.gen';
import type { Cli, Command } from '../command.ts';
import type { Target } from '../paths.ts';
import { oneByOne, readPlacing } from '../placing.ts';

export const cp: Command = {
  usage: 'cp PATH… TARGET',
  help: `copies files and folders within the service, with all that folders contain
  TARGET   a folder they go into, or the path of one copy; nothing is replaced`,
  read: (args) => readPlacing(args, 'copied', oneByOne(copy)),
};

const copy = ({ client, signal }: Cli, { id }: Cog, { folder, name }: Target): Promise<Cog> =>
  client.copyCog({
    path: { id },
    body: { parent_id: folder.id, ...(name === undefined ? {} : { name }) },
    idempotencyKey: randomUUID(),
    signal,
  });
