/** Complete lists, over all pages. */
import type { Args } from '@cogworks/sdk/client';
import { allRows, type ListId, type Row } from '@cogworks/sdk/pages';
import type { Cli } from './command.ts';

export async function listAll<Id extends ListId>(
  { client, signal }: Cli,
  id: Id,
  args: Args<Id>,
): Promise<Row<Id>[]> {
  const rows: Row<Id>[] = [];
  for await (const row of allRows(client, id, { ...args, signal })) rows.push(row);
  return rows;
}
