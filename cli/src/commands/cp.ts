import { randomUUID } from 'node:crypto';
import { copyMany } from '@cogworks/sdk/change-many';
import type { Command } from '../command.ts';
import type { Target } from '../paths.ts';
import { oneByOne, type Place, readPlacing } from '../placing.ts';

export const cp: Command = {
  usage: 'cp PATH… TARGET',
  help: `copies files and folders within the service, with all that folders contain
  TARGET   a folder they go into, or the path of one copy; nothing is replaced`,
  read: (args) => readPlacing(args, 'copied', copy),
};

const copy: Place = (cli, cogs, target) =>
  target.name === undefined
    ? copyMany(cli.client, cogs, target.folder.id, { signal: cli.signal })
    : copyAs(cli, cogs, target);

const copyAs = oneByOne(({ client, signal }, { id }, { folder, name }: Target) =>
  client.copyCog({
    path: { id },
    body: { parent_id: folder.id, ...(name === undefined ? {} : { name }) },
    idempotencyKey: randomUUID(),
    signal,
  }),
);
