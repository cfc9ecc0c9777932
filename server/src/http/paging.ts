/**
 * Lists: `offset` and `limit`, a `Link` with an opaque cursor while there is more, and the total on
 * request. The cursor holds the sort keys of the last row, so it stays valid while rows are added
 * and removed. It is encrypted and authenticated: only cursors we issued reach a query, and a
 * client cannot read the names of rows it may not see.
 */
import type { KeyObject } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { unprocessable } from '../errors.ts';
import { open, seal } from '../keys/sealing.ts';
import type { Listed, Page } from '../pages.ts';
import type { Services } from '../services.ts';

/** Query parameters of every list; spread it into a route's querystring. */
export const PagingQuery = {
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'Rows to leave out.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  cursor: Type.Optional(
    Type.String({
      maxLength: 4000,
      description: 'From the `Link` of the page before; excludes `offset`.',
    }),
  ),
  with_total: Type.Optional(Type.Boolean({ description: 'Adds the header `X-Total-Count`.' })),
};

export type PagingParams = {
  offset?: number;
  limit?: number;
  cursor?: string;
  with_total?: boolean;
};

/**
 * Answers one page. `list` reads the requested page; `keysOf` gives a row's sort keys, the id last.
 *
 * @throws DomainError `unprocessable` for a malformed or foreign cursor, or one with an offset.
 */
export async function sendPage<Row>(
  { keys, baseUrl }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  list: (page: Page) => Promise<Listed<Row>>,
  keysOf: (row: Row) => (string | number)[],
): Promise<Row[]> {
  const { offset, limit = 100, cursor, with_total = false } = request.query as PagingParams;
  if (cursor !== undefined && offset !== undefined) {
    throw badCursor('Give a cursor or an offset, not both.');
  }
  const sealingKey = keys.cursor;
  const after = cursor === undefined ? undefined : openCursor(sealingKey, request, cursor);
  const {
    rows,
    total,
    more = false,
    next,
  } = await list({
    offset: offset ?? 0,
    limit: limit + 1,
    with_total,
    ...(after === undefined ? {} : { after }),
  });

  if (total !== undefined) reply.header('x-total-count', total);
  const last = rows[Math.min(limit, rows.length) - 1];
  const goOn = (rows.length > limit || more) && last !== undefined ? keysOf(last) : next;
  if (goOn !== undefined) {
    const url = new URL(request.url, baseUrl());
    url.searchParams.delete('offset');
    url.searchParams.set('cursor', sealCursor(sealingKey, request, goOn));
    reply.header('link', `<${url.href}>; rel="next"`);
  }
  return rows.slice(0, limit);
}

/** The same for rows that are JSON text already: they are sent unchanged. */
export async function sendTexts(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  list: (page: Page) => Promise<Listed<string>>,
  keysOf: (row: string) => (string | number)[],
): Promise<void> {
  const rows = await sendPage(services, request, reply, list, keysOf);
  reply.type('application/json; charset=utf-8').send(`[${rows.join()}]`);
}

function sealCursor(key: KeyObject, request: FastifyRequest, keys: (string | number)[]) {
  return seal(key, JSON.stringify(keys), placeOf(request)).toString('base64url');
}

function openCursor(key: KeyObject, request: FastifyRequest, cursor: string) {
  try {
    const keys = open(key, Buffer.from(cursor, 'base64url'), placeOf(request));
    return JSON.parse(keys.toString()) as (string | number)[];
  } catch {
    throw badCursor('This cursor does not belong to this list.');
  }
}

/** The path and the sort order: keys of one order mean nothing in another. */
function placeOf(request: FastifyRequest) {
  const url = new URL(request.url, 'http://cursor');
  return `${url.pathname.replace(/\/$/, '')}|${url.searchParams.get('sort') ?? ''}`;
}

const badCursor = (msg: string) =>
  unprocessable({ loc: ['query', 'cursor'], msg, type: 'value_error' });
