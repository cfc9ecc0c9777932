/**
 * Positions in the run events. A position is a transaction snapshot: which transactions had
 * committed at a read. Sequence numbers would not do, because a lower one may be committed later by
 * another process. Clients receive a position as text and send it back to resume.
 */

export type Position = {
  /** In the format of pg_snapshot: `xmin:xmax:xip,xip`. */
  readonly text: string;
  /** All transactions before this one had ended. */
  readonly xmin: number;
  /** Neither this transaction nor any later one had ended. */
  readonly xmax: number;
  /** Transactions between the two that were under way. */
  readonly under_way: ReadonlySet<number>;
};

/** Characters. At most one number per database connection, so usually far fewer. */
const longest = 8000;
const shape = /^(\d{1,16}):(\d{1,16}):((?:\d{1,16},)*\d{1,16})?$/;

/** @returns undefined if the text is not a valid position. */
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

/** Whether a transaction's writes are included in a position. */
export const isSeenAt = ({ xmin, xmax, under_way }: Position, xid: number): boolean =>
  xid < xmin || (xid < xmax && !under_way.has(xid));

/**
 * Whether everything written after a position is still stored. Removed events belong to
 * transactions up to `floor`; of those, one that was under way at the position and still is has no
 * removed events. A position of another database may be ahead of `now`.
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
