/** A client that reads a list to its end. */
import assert from 'node:assert/strict';
import type { Client } from './cast.ts';

type Named = { id: number; name: string };

/** The path of the next page, without the server; undefined after the last one. */
export function nextOf(headers: Headers): string | undefined {
  const link = headers.get('link')?.match(/^<(.+)>; rel="next"$/)?.[1];
  return link?.slice(new URL(link).origin.length);
}

/** Follows the links to the last page. */
export async function pages<Row = Named>(by: Client, path: string): Promise<Row[][]> {
  const found: Row[][] = [];
  for (let next: string | undefined = path; next; ) {
    const { body, headers, status } = await by.get(next);
    assert.equal(status, 200, JSON.stringify(body));
    found.push(body);
    next = nextOf(headers);
  }
  return found;
}
