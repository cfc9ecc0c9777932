import type { Cog } from '@cogworks/sdk/contract.gen';
import type { Cli, Command } from '../command.ts';
import type { Target } from '../paths.ts';
import { readPlacing } from '../placing.ts';
import { Problem } from '../problem.ts';

export const mv: Command = {
  usage: 'mv PATH… TARGET',
  help: `moves or renames files and folders
  TARGET   a folder they go into, or the new path of one of them; nothing is replaced`,
  read: (args) => readPlacing(args, 'moved', move),
};

async function move({ client, signal }: Cli, cog: Cog, { folder, name }: Target): Promise<Cog> {
  const body = {
    ...(name !== undefined && name !== cog.name ? { name } : {}),
    ...(folder.id === cog.parent_id ? {} : { parent_id: folder.id }),
  };
  if (Object.keys(body).length === 0) throw new Problem(`“${cog.name}” is there already.`);
  return client.changeCog({ path: { id: cog.id }, body, signal });
}
