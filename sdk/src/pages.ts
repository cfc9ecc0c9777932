/** Lists, page by page: follows the cursor in each answer's `Link` header. */
import type { Answer, Args, CallOptions, Client, OperationId } from './client.ts';

/** Operations that return a list. */
export type ListId = {
  [Id in OperationId]: Answer<Id> extends readonly unknown[] ? Id : never;
}[OperationId];

export type Row<Id extends ListId> = Answer<Id> extends readonly (infer One)[] ? One : never;

export type ListPage<Id extends ListId> = {
  rows: Row<Id>[];
  /** The cursor of the next page, if there is one. */
  cursor?: string;
  /** The total number of rows, if `with_total` was requested. */
  total?: number;
};

/** One page: the first, or the one at `cursor`. */
export async function listPage<Id extends ListId>(
  client: Client,
  id: Id,
  args: Args<Id> & CallOptions,
  cursor?: string,
): Promise<ListPage<Id>> {
  const given = args as { query?: Record<string, unknown> };
  const { query } = given;
  const { answer, headers } = await client.call(id, {
    ...given,
    query: cursor === undefined ? query : { ...query, offset: undefined, cursor },
  } as unknown as Args<Id> & CallOptions);
  const next = nextCursor(headers.get('link'));
  const total = headers.get('x-total-count');
  return {
    rows: answer as unknown as Row<Id>[],
    ...(next === undefined ? {} : { cursor: next }),
    ...(total === null ? {} : { total: Number(total) }),
  };
}

/** Every row of a list; the next page is requested when all earlier rows have been read. */
export async function* allRows<Id extends ListId>(
  client: Client,
  id: Id,
  args: Args<Id> & CallOptions,
): AsyncGenerator<Row<Id>> {
  let cursor: string | undefined;
  do {
    const page: ListPage<Id> = await listPage(client, id, args, cursor);
    yield* page.rows;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** All rows of a list, in memory. */
export async function listAll<Id extends ListId>(
  client: Client,
  id: Id,
  args: Args<Id> & CallOptions,
): Promise<Row<Id>[]> {
  const rows: Row<Id>[] = [];
  for await (const row of allRows(client, id, args)) rows.push(row);
  return rows;
}

/** @returns the cursor in a `Link` header's `rel="next"` (RFC 8288). */
export function nextCursor(link: string | null): string | undefined {
  const url = link?.match(/<([^>]*)>\s*;[^,]*\brel="?next"?/)?.[1];
  return url === undefined
    ? undefined
    : (new URL(url, 'http://localhost').searchParams.get('cursor') ?? undefined);
}
