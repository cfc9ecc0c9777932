/** Answers as CSV (RFC 4180). */
import type { FastifyRequest } from 'fastify';

/** Whether a request asks for CSV, by its parameter or its `Accept`. */
export const wantsCsv = ({ headers }: FastifyRequest, format: 'json' | 'csv' | undefined) =>
  format === 'csv' || (format === undefined && /^\s*text\/csv\b/i.test(headers.accept ?? ''));

type Cell = string | number | undefined;

/** A header, if there is one, and rows. Texts that a spreadsheet would take for a formula begin with an apostrophe. */
export const csvOf = (
  header: readonly string[] | undefined,
  rows: readonly (readonly Cell[])[],
): string =>
  [...(header ? [header] : []), ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');

function cellOf(value: Cell): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  const harmless = /^[=+\-@＝＋－＠\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
