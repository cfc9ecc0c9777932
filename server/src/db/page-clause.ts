/** The end of a list's query. */
import type { Page } from '../pages.ts';
import type { Tag } from './statement.ts';

/**
 * Which of the ordered rows belong to the page. Usual limits are literals, and an offset of 0 is
 * left out: for a parameter the planner assumes a tenth of all rows, so that its general plan seems
 * expensive, and it plans each execution anew for its values. That took 0.4 ms, as long as reading
 * a page of a hundred cogs.
 */
export const pageClause = (db: Tag, { limit, offset }: Pick<Page, 'limit' | 'offset'>) => db`
  ${limitClause(db, limit)} ${offset === 0 ? db`` : db`offset ${offset}`}
`;

function limitClause(db: Tag, limit: number) {
  // One more than clients ask for.
  if (limit === 51) return db`limit 51`;
  if (limit === 101) return db`limit 101`;
  if (limit === 1001) return db`limit 1001`;
  return db`limit ${limit}`;
}
