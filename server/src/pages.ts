/** What a list is asked for and what it gives; http/paging.ts makes answers of it. */

/** What a list query needs. `limit` is one more than asked for: the extra row tells there is more. */
export type Page = {
  offset: number;
  limit: number;
  /** Sort keys of the last row before this page, as `keysOf` gave them. */
  after?: readonly (string | number)[];
  with_total: boolean;
};

/**
 * `more`: the page ends before its limit because its rows are large; others follow. `next`: it
 * ends early, and goes on behind these sort keys, which may be those of no row.
 */
export type Listed<Row> = {
  rows: Row[];
  total?: number;
  more?: boolean;
  next?: (string | number)[];
};

/** As many bytes of rows as one page holds, for lists whose rows can be large. */
export const pageBytes = 4 * 1024 * 1024;
