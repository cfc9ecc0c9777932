import { type Changed, moveMany } from '@cogworks/sdk/change-many';
import type { Cog } from '@cogworks/sdk/contract.gen';
import type { Cli, Command } from '../command.ts';
import type { Target } from '../paths.ts';
import { oneByOne, type Place, readPlacing } from '../placing.ts';
import { Problem } from '../problem.ts';

export const mv: Command = {
  usage: 'mv PATH… TARGET',
  help: `moves or renames files and folders
  TARGET   a folder they go into, or the new path of one of them; nothing is replaced`,
  read: (args) => readPlacing(args, 'moved', move),
};

const move: Place = (cli, cogs, target) =>
  target.name === undefined ? moveInto(cli, cogs, target.folder) : rename(cli, cogs, target);

async function moveInto({ client, signal }: Cli, cogs: readonly Cog[], folder: Cog) {
  const [there, others] = [true, false].map((isThere) =>
    cogs.filter(({ parent_id }) => (parent_id === folder.id) === isThere),
  ) as [Cog[], Cog[]];
  const moved = await moveMany(client, others, folder.id, { signal });
  return [...there.map((item): Changed<Cog, Cog> => ({ item, error: isThere(item) })), ...moved];
}

const rename = oneByOne(({ client, signal }, cog, { folder, name }: Target) => {
  const body = {
    ...(name !== undefined && name !== cog.name ? { name } : {}),
    ...(folder.id === cog.parent_id ? {} : { parent_id: folder.id }),
  };
  if (Object.keys(body).length === 0) throw isThere(cog);
  return client.changeCog({ path: { id: cog.id }, body, signal });
});

const isThere = ({ name }: Cog) => new Problem(`“${name}” is there already.`);
