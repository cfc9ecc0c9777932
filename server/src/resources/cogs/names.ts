/** What a file or folder may be called. A name is never a path, and is stored normalised (NFC). */
import { unprocessable } from '../../errors.ts';

const maxBytes = 255;

/**
 * The name as it is stored.
 *
 * @param loc the field it came in, for the error.
 * @throws DomainError 422 that says what is wrong with it.
 */
export function checkedName(given: string, loc: (string | number)[] = ['body', 'name']): string {
  // First: normalising a lone surrogate would leave one, and no encoding has them.
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

/** `report.pdf` → `report (2).pdf`, cut where it would get too long. */
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

/** Names are stored as NFC, so that is what is looked for; the database takes no NUL. */
export function searchable(text: string, field: string) {
  if (!text.isWellFormed() || text.includes('\0')) {
    throw unprocessable({ loc: ['query', field], msg: 'Must be valid text.', type: 'value_error' });
  }
  return text.normalize('NFC');
}
