/**
 * Converts values to and from PostgreSQL's text format. Three rules make a row the record that
 * clients see, without a mapper: int8 is a safe number, a timestamp is ISO 8601 text, and a null
 * column is left out (connection.ts).
 */
import { types } from 'pg';

/** A parameter that is sent as JSON; made by `db.json`. */
export class Json {
  readonly text: string;

  /** @throws TypeError for values JSON cannot represent, such as `undefined`. */
  constructor(value: unknown) {
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError('undefined has no JSON');
    this.text = text;
  }
}

/**
 * What a `${}` of a template accepts, besides other templates. An array becomes a PostgreSQL array.
 */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | Json
  | null
  | readonly SqlValue[];

/**
 * A parameter in the protocol's form.
 *
 * @throws TypeError if it is not an SqlValue. A plain object is not: use `db.json(value)`.
 */
export function toParameter(value: SqlValue): string | Buffer | null {
  if (value === null || typeof value === 'string') return value;
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Array.isArray(value) ? arrayText(value) : scalarText(value);
}

/** A parameter has no type of its own: without context PostgreSQL would take it as text. */
export function castOf(value: unknown): '' | '::boolean' | '::timestamptz' {
  if (typeof value === 'boolean') return '::boolean';
  return value instanceof Date ? '::timestamptz' : '';
}

function scalarText(value: SqlValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (value instanceof Json) return value.text;
  throw new TypeError(`${value === undefined ? 'undefined' : typeof value} is no value for SQL`);
}

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function arrayText(values: readonly SqlValue[]): string {
  const elements = values.map((value) => {
    if (value === null) return 'NULL';
    if (typeof value === 'number') return String(value);
    if (Array.isArray(value)) return arrayText(value);
    return `"${scalarText(value).replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${elements.join()}}`;
}

type Parse = (text: string) => unknown;

/** By type OID (pg_type.dat). Other types, such as `numeric` and enums, stay text. */
const parsers: Record<number, Parse> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  20: safeInteger,
  21: Number,
  23: Number,
  26: Number,
  114: JSON.parse,
  700: Number,
  701: Number,
  1082: isoTime,
  1114: isoTime,
  1184: isoTime,
  3802: JSON.parse,
};

/** OIDs of array types, and of their element types. */
const elements: Record<number, number> = {
  199: 114,
  1000: 16,
  1001: 17,
  1005: 21,
  1007: 23,
  1009: 25,
  1015: 1043,
  1016: 20,
  1021: 700,
  1022: 701,
  1028: 26,
  1182: 1082,
  1185: 1184,
  2951: 2950,
  3807: 3802,
};
const texts = types.getTypeParser(1009 as never, 'text') as (text: string) => (string | null)[];
for (const [array, element] of Object.entries(elements)) {
  const parse = parsers[element] ?? asText;
  parsers[Number(array)] = (text) =>
    texts(text).map((value) => (value === null ? null : parse(value)));
}

/** The parser of this type; undefined if the value stays text. */
export const parserOf = (oid: number): Parse | undefined => parsers[oid];

function asText(text: string) {
  return text;
}

function safeInteger(text: string) {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`bigint ${text} is beyond what a number holds`);
  return value;
}

/** `2026-11-22 04:52:54.123456+00`, the format of a session in UTC; milliseconds are kept. */
const inUtc = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\+00$/;

function isoTime(text: string) {
  // Nine of ten have three fractional digits: cutting by position takes a fifth of the time.
  if (text.length === 26 && text[19] === '.' && text[10] === ' ' && text.endsWith('+00'))
    return `${text.slice(0, 10)}T${text.slice(11, 23)}Z`;
  const [, day, time, fraction = ''] = inUtc.exec(text) ?? [];
  return day ? `${day}T${time}.${fraction.padEnd(3, '0')}Z` : new Date(text).toISOString();
}
