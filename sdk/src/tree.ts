/** Lists everything below a folder, so that it can be copied, or compared with a copy. */
import type { Client } from './client.ts';
import type { Cog } from './contract.gen.ts';
import { type ListPage, listPage } from './pages.ts';

/** A file or folder, with its size, checksum, version and time of change. */
export type TreeCog = Cog & {
  /** The names from the folder that was listed to it, separated by "/". */
  path: string;
};

export type TreeOptions = {
  /** The folder; it is not listed itself. */
  id: number;
  /**
   * Called for a folder that cannot be listed, for example because it was deleted meanwhile; the
   * others are listed. Without it the listing ends with the error, so that what is missing is never
   * taken for deleted.
   */
  onFault?: ((folder: TreeCog, error: unknown) => void) | undefined;
  signal?: AbortSignal | undefined;
};

type Page = ListPage<'listCogs'>;
type Walk = TreeOptions & { client: Client };

const limit = 1000;
/** Folders of a page that are requested before it is their turn. */
const mostAhead = 4;

/**
 * Every file and folder below a folder that the caller may see: each folder before what is in it,
 * and in it by name. What is moved during the listing may be listed twice, or not at all.
 *
 * @throws ApiError, e.g. 404 for the folder; TypeError if the network fails.
 */
export function listTree(client: Client, options: TreeOptions): AsyncGenerator<TreeCog> {
  return below({ ...options, client }, options.id, '');
}

async function* below(
  walk: Walk,
  id: number,
  path: string,
  first: Promise<Page> = pageOf(walk, id),
): AsyncGenerator<TreeCog> {
  let page = await first;
  for (;;) {
    const folders = page.rows.filter(({ cog_type }) => cog_type !== 'file');
    const ahead = folders.values();
    const asked = new Map<number, Promise<Page>>();
    const ask = () => {
      const { value } = ahead.next();
      if (value) asked.set(value.id, pageOf(walk, value.id));
    };
    for (let at = 0; at < mostAhead; at++) ask();
    for (const cog of page.rows) {
      const found = { ...cog, path: path + cog.name };
      yield found;
      if (cog.cog_type === 'file') continue;
      const begun = asked.get(cog.id);
      asked.delete(cog.id);
      yield* inFolder(walk, found, begun);
      ask();
    }
    if (page.cursor === undefined) return;
    page = await pageOf(walk, id, page.cursor);
  }
}

async function* inFolder(walk: Walk, folder: TreeCog, first: Promise<Page> | undefined) {
  const listing = below(walk, folder.id, `${folder.path}/`, first);
  for (;;) {
    try {
      const { value, done } = await listing.next();
      if (done) return;
      yield value;
    } catch (error) {
      if (!walk.onFault || walk.signal?.aborted) throw error;
      walk.onFault(folder, error);
      return;
    }
  }
}

function pageOf({ client, signal }: Walk, parent_id: number, cursor?: string): Promise<Page> {
  const query = { parent_id, sort: 'name', limit } as const;
  const page = listPage(client, 'listCogs', { query, signal }, cursor);
  // Whoever reads it handles the error; without a reader, nobody wants to know.
  page.catch(() => {});
  return page;
}
