/** What is in the trash, and where it was. */
import type { TrashedCog } from '@cogworks/sdk/contract.gen';
import type { Cli } from './command.ts';
import { everyRow } from './lists.ts';

export const listTrash = (cli: Cli): Promise<TrashedCog[]> =>
  everyRow(cli, 'listTrash', { query: { with_above: true, limit: 100 } });

/** Its former path; its name alone if the folder it was in is deleted as well. */
export function placeOf({ above, name }: TrashedCog): string {
  if (!above) return name;
  const folders = above.filter(({ cog_type }) => cog_type !== 'master_folder');
  return ['', ...folders.map((folder) => folder.name), name].join('/');
}
