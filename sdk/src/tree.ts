/** Lists everything below a folder, so that it can be copied, or compared with a copy. */
import type { Client } from './client.ts';
import type { TreeCog } from './contract.gen.ts';
import { type ListPage, listPage } from './pages.ts';

export type TreeOptions = {
  /** The folder; it is not listed itself. */
  id: number;
  signal?: AbortSignal | undefined;
};

type Page = ListPage<'listCogTree'>;

/**
 * Every file and folder below a folder that the caller may see, each with its path: each folder
 * before what is in it, and in it in the order in which they were made. A page is one request, made
 * while the page before it is read. What is deleted during the listing is left out; what is moved may
 * be listed twice, or not at all.
 *
 * @throws ApiError, e.g. 404 for the folder; TypeError if the network fails.
 */
export async function* listTree(
  client: Client,
  { id, signal }: TreeOptions,
): AsyncGenerator<TreeCog> {
  const ask = (cursor?: string): Promise<Page> => {
    const page = listPage(client, 'listCogTree', { path: { id }, query, signal }, cursor);
    // Whoever reads it handles the error; without a reader, nobody wants to know.
    page.catch(() => {});
    return page;
  };
  for (let next: Promise<Page> | undefined = ask(); next; ) {
    const { rows, cursor }: Page = await next;
    next = cursor === undefined ? undefined : ask(cursor);
    for (const row of rows) {
      signal?.throwIfAborted();
      yield row;
    }
  }
}

const query = { limit: 1000 };
