/** The parameters and results of list queries; http/paging.ts turns them into answers. */

/**
 * Parameters of a list query. `limit` is one more than requested: an extra row means there is more.
 */
export type Page = {
  offset: number;
  limit: number;
  /** Sort keys of the last row before this page, as given by `keysOf`. */
  after?: readonly (string | number)[];
  with_total: boolean;
};

/**
 * `more`: the page ends before its limit because its rows are large, and others follow. `next`: it
 * ends early, and continues after these sort keys, which need not belong to a row.
 */
export type Listed<Row> = {
  rows: Row[];
  total?: number;
  more?: boolean;
  next?: (string | number)[];
};

/** Maximum bytes of rows per page, for lists whose rows can be large. */
export const pageBytes = 4 * 1024 * 1024;
