/** Complete lists, over all pages. */
import type { Args } from '@cogworks/sdk/client';
import { type ListId, listAll, type Row } from '@cogworks/sdk/pages';
import type { Cli } from './command.ts';

export const everyRow = <Id extends ListId>(
  { client, signal }: Cli,
  id: Id,
  args: Args<Id>,
): Promise<Row<Id>[]> => listAll(client, id, { ...args, signal });
