/** Rows of one statement: what is put together for it must not hold the event loop for long. */

/** Some 5 ms of this process, and 50 of the database. */
const rowsOfPiece = 2000;

/** Cuts a list into pieces of that many rows; none of an empty one. Pure. */
export function piecesOf<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / rowsOfPiece) }, (_, index) =>
    rows.slice(index * rowsOfPiece, (index + 1) * rowsOfPiece),
  );
}
