/** The lists of parts with which clients confirm an upload, compared with what is stored. Pure. */
import {
  badField,
  conflict,
  type DomainError,
  type FieldFault,
  unprocessableFor,
} from '../../../errors.ts';
import type { StoredPart } from '../../../storage/parts.ts';
import { type Layout, mostParts, partCount, partOf } from './layout.ts';

export type GivenPart = { part_number: number; etag: string };

/**
 * The parts that a client lists: as a list or a text that holds one, in the spelling of this API or
 * of S3, in any order.
 *
 * @param loc the field of the request, for errors.
 * @throws DomainError 422
 */
export function readParts(given: unknown, loc: (string | number)[]): GivenPart[] {
  const refuse = (faults: FieldFault[]): never => {
    throw unprocessableFor(faults);
  };
  const fault = (msg: string, ...path: (string | number)[]) => ({
    loc: [...loc, ...path],
    msg,
    type: 'value_error',
  });
  const list = typeof given === 'string' ? parsed(given) : given;
  if (!Array.isArray(list)) return refuse([fault('Must be a list of parts, or JSON of one.')]);
  if (list.length > mostParts) return refuse([fault(`Must have at most ${mostParts} parts.`)]);
  const parts = list.map(readPart);
  const faults = parts.flatMap((part, at) => (typeof part === 'string' ? fault(part, at) : []));
  if (faults.length > 0) refuse(faults);
  const read = parts.filter((part) => typeof part !== 'string');
  const numbers = new Set(read.map(({ part_number }) => part_number));
  if (numbers.size < read.length) refuse([fault('Must not have a part twice.')]);
  return read;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const names = new Map([
  ['part_number', 'part_number'],
  ['PartNumber', 'part_number'],
  ['etag', 'etag'],
  ['ETag', 'etag'],
]);

/** @returns the part, or what is wrong with it. */
function readPart(given: unknown): GivenPart | string {
  const entries = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  const fields = new Map(entries.map(([name, value]) => [names.get(name), value]));
  const [part_number, etag] = [fields.get('part_number'), fields.get('etag')];
  if (entries.length !== 2 || fields.size !== 2 || fields.has(undefined)) {
    return 'Must have exactly part_number and etag.';
  }
  if (!Number.isInteger(part_number) || (part_number as number) < 1) {
    return `part_number must be a whole number from 1 to ${mostParts}.`;
  }
  if ((part_number as number) > mostParts) return `part_number must be at most ${mostParts}.`;
  if (typeof etag !== 'string' || etag.length > 200) return 'etag must be a text.';
  return { part_number: part_number as number, etag: unquoted(etag) };
}

/** Clients send the header's value as it is, with quotes. */
const unquoted = (etag: string) => etag.trim().replace(/^"(.*)"$/, '$1');

/** @throws DomainError 409 `parts_mismatch` unless exactly these parts are stored, in full size. */
export function requireAllParts(
  layout: Layout,
  given: readonly GivenPart[],
  stored: readonly StoredPart[],
): void {
  const count = partCount(layout);
  const [asked, found] = [byNumber(given), byNumber(stored)];
  const faults: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const [wanted, part] = [asked.get(number), found.get(number)];
    if (!part) faults.push(`Part ${number} is not stored.`);
    else if (part.size_bytes !== partOf(layout, number).size_bytes) {
      faults.push(`Part ${number} has ${part.size_bytes} bytes.`);
    } else if (!wanted) faults.push(`Part ${number} is stored, but not listed.`);
    else if (wanted.etag !== part.etag) faults.push(`Part ${number} has another ETag.`);
  }
  for (const { part_number } of given) {
    if (part_number > count) faults.push(`There is no part ${part_number}.`);
  }
  if (faults.length > 0) throw partsMismatch(faults);
}

const byNumber = <Part extends { part_number: number }>(parts: readonly Part[]) =>
  new Map(parts.map((part) => [part.part_number, part]));

const mostTold = 20;

/** @param faults sentences; the first ones are told. */
export function partsMismatch(faults: readonly string[]): DomainError {
  const more = faults.length - mostTold;
  const rest = more > 0 ? ` And ${more} more.` : '';
  return conflict('parts_mismatch', `${faults.slice(0, mostTold).join(' ')}${rest}`);
}

/** @throws DomainError 422 for a number that the upload does not have. */
export function requirePartNumbers(layout: Layout, numbers: readonly number[]): void {
  const count = partCount(layout);
  if (numbers.every((number) => number <= count)) return;
  throw badField('part_numbers', `This upload has only ${count} parts.`);
}
