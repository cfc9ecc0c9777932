/** The page of a list's query. */
import type { Page } from '../pages.ts';
import type { Tag } from './statement.ts';

/**
 * The ordered rows that belong to the page.
 *
 * Where a limit is a parameter, the planner assumes a tenth of the rows. Of a large table that is
 * much, so the general plan of a prepared statement seems expensive, and each execution is planned
 * anew for its values: 0.4 ms, as long as reading a page of a hundred cogs. So a page from the start
 * is a part of the first `mostRows`. The limit itself remains a parameter: with a text for each
 * limit, every connection would hold several times as many prepared statements.
 */
export const pageOf = (
  db: Tag,
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
  ordered: ReturnType<Tag>,
) =>
  offset === 0 && limit <= mostRows
    ? db`select * from (${ordered} ${firstRows(db)}) as page limit ${limit}`
    : db`${ordered} limit ${limit} offset ${offset}`;

/** One more than clients may ask for. */
const mostRows = 1001;

/** `mostRows` as a literal: the planner knows its value. */
const firstRows = (db: Tag) => db`limit 1001`;
