/** Complete lists, over all pages. */
import type { Args } from '@cogworks/sdk/client';
import { type ListId, listAll as listRows, type Row } from '@cogworks/sdk/pages';
import type { Cli } from './command.ts';

export const listAll = <Id extends ListId>(
  { client, signal }: Cli,
  id: Id,
  args: Args<Id>,
): Promise<Row<Id>[]> => listRows(client, id, { ...args, signal });
