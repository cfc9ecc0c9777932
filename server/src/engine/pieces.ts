/** Splits the rows of large statements: building one must not block the event loop for long. */

/** Takes about 5 ms in this process, and 50 ms in the database. */
const rowsOfPiece = 2000;

/** Cuts a list into pieces of that many rows; an empty list has no pieces. Pure. */
export function piecesOf<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / rowsOfPiece) }, (_, index) =>
    rows.slice(index * rowsOfPiece, (index + 1) * rowsOfPiece),
  );
}
