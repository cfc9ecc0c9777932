/** Valid names of files and folders. A name is never a path, and is stored in NFC. */
import { violates } from '../../../db/connection.ts';
import { conflict, nameCollision, unprocessable } from '../../../errors.ts';

const maxBytes = 255;

/**
 * Returns the name as stored.
 *
 * @param loc the field of the request, for the error.
 * @throws DomainError 422 that says what is wrong with it.
 */
export function checkedName(given: string, loc: (string | number)[] = ['body', 'name']): string {
  // Checked first: normalizing keeps lone surrogates, which cannot be encoded.
  const name = given.isWellFormed() ? given.normalize('NFC') : given;
  const fault = faultOf(name);
  if (fault !== undefined) throw unprocessable({ loc, msg: fault, type: 'value_error' });
  return name;
}

function faultOf(name: string): string | undefined {
  if (!name.isWellFormed()) return 'The name contains characters that are not valid text.';
  if (name === '') return 'A name must not be empty.';
  if (name === '.' || name === '..') return `A name must not be "${name}".`;
  if (name.includes('/')) return 'A name must not contain "/".';
  if (/\p{Cc}/u.test(name))
    return 'A name must not contain control characters, such as line breaks.';
  if (Buffer.byteLength(name) > maxBytes) {
    return `This name is too long: at most ${maxBytes} bytes in UTF-8.`;
  }
  return undefined;
}

/** `report.pdf` → `report (2).pdf`, shortened if too long. */
export function numberedName(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  const tail = ` (${number})${extension}`;
  let head = stem;
  while (head !== '' && Buffer.byteLength(head + tail) > maxBytes) {
    head = [...head].slice(0, -1).join('');
  }
  return head === '' ? numberedName([...name].slice(0, 50).join(''), number) : head + tail;
}

/** A name as it is numbered: before the number, after it, and the first number to try. */
export type Numbering = { head: string; tail: string; first: number };

const widest = ' (99999)';

/** One that has a number goes on from it: `a.txt` → `a (2).txt` → `a (3).txt`. */
export function numberingOf(name: string): Numbering {
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  const [, base = stem, number = '1'] = /^(.+) \((\d{1,4})\)$/s.exec(stem) ?? [];
  const numbered = numberedName(base + extension, 99_999);
  const at = numbered.lastIndexOf(widest);
  return {
    head: numbered.slice(0, at),
    tail: numbered.slice(at + widest.length),
    first: Number(number) + 1,
  };
}

/** Names are stored in NFC, so the text is normalized too; PostgreSQL does not accept NUL. */
export function searchable(text: string, field: string) {
  if (!text.isWellFormed() || text.includes('\0')) {
    throw unprocessable({ loc: ['query', field], msg: 'Must be valid text.', type: 'value_error' });
  }
  return text.normalize('NFC');
}

/**
 * The error of a statement that gave cogs these names, for its caller: what got one of them while
 * the statement was on its way is a collision like any other.
 */
export function collisionMeanwhile(error: unknown, cogs: readonly { name: string }[]): unknown {
  if (!violates(error, 'cogs_name_unique_among_siblings')) return error;
  const [first, ...rest] = cogs;
  if (first && rest.length === 0) return nameCollision(first.name, error);
  return conflict('name_collision', 'One of these names was taken just now. Try again.');
}
