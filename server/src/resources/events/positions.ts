/**
 * Positions in what is told of runs. One is a snapshot of transactions: which had committed when
 * somebody looked. Numbers given at writing could not tell, because of two processes the one with the
 * lower number may commit later. Clients get a position as text, and give it back to go on.
 */

export type Position = {
  /** As PostgreSQL writes a pg_snapshot: `xmin:xmax:xip,xip`. */
  readonly text: string;
  /** All transactions before this one had ended. */
  readonly xmin: number;
  /** Neither this one nor any after it had ended. */
  readonly xmax: number;
  /** Between the two, those that were under way. */
  readonly under_way: ReadonlySet<number>;
};

/** One number for each connection of the database, so far fewer. */
const longest = 8000;
const shape = /^(\d{1,16}):(\d{1,16}):((?:\d{1,16},)*\d{1,16})?$/;

/** @returns undefined for what is no position, whoever made it up. */
export function readPosition(text: string): Position | undefined {
  const [, low, high, list] = (text.length <= longest && shape.exec(text)) || [];
  if (low === undefined || high === undefined) return undefined;
  const [xmin, xmax] = [Number(low), Number(high)];
  const numbers = list === undefined ? [] : list.split(',').map(Number);
  const isSound =
    xmin > 0 &&
    xmin <= xmax &&
    Number.isSafeInteger(xmax) &&
    numbers.every(
      (xid, at) => xid >= xmin && xid < xmax && (at === 0 || xid > (numbers[at - 1] as number)),
    );
  return isSound ? { text, xmin, xmax, under_way: new Set(numbers) } : undefined;
}

/** Whether what a transaction wrote has been seen at a position. */
export const isSeenAt = ({ xmin, xmax, under_way }: Position, xid: number): boolean =>
  xid < xmin || (xid < xmax && !under_way.has(xid));

/**
 * Whether all is still there that was written after a position. What was removed is of transactions up to
 * `floor`; of those, one that was under way then and still is has written nothing yet that was removed. A position of another database
 * may be ahead of `now`.
 */
export const isKept = (
  { xmax, under_way }: Position,
  floor: number | undefined,
  now: Position,
): boolean =>
  floor !== undefined &&
  xmax > floor &&
  xmax <= now.xmax &&
  [...under_way].every((xid) => xid > floor || now.under_way.has(xid));
