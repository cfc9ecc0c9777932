/**
 * JSON as it came. It is measured before it is parsed: a megabyte of `[],[],…` is three hundred
 * thousand values, and everything that walks a document pays for each of them.
 */
import { isUtf8 } from 'node:buffer';
import { DomainError, invalid, unprocessable } from './errors.ts';

/** Five times the need of a graph of 2,000 nodes. Parsing and checking so many takes some 50 ms. */
export const mostValues = 100_000;

/** Nothing we store is nested this deeply; a deeper body could overflow the stack. */
export const mostLevels = 200;

/** Why these bytes are not parsed at all, or undefined. */
export function refusalOf(bytes: Uint8Array, most = mostValues): DomainError | undefined {
  if (!isUtf8(bytes)) return invalid('The body is not valid UTF-8.');
  const { values, levels } = measure(bytes, most);
  if (values > most) {
    return new DomainError('too_large', `The body holds more than ${most} values.`);
  }
  if (levels > mostLevels) {
    const msg = `Must not be nested more than ${mostLevels} levels deep.`;
    return unprocessable({ loc: ['body'], msg, type: 'depth' });
  }
  return undefined;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The number of values in JSON, objects and lists included, and its depth. It may count a few too
 * many, and stops at a limit; it does not check that the JSON is valid.
 */
export function measure(json: Uint8Array, most = mostValues): { values: number; levels: number } {
  let values = 1;
  let depth = 0;
  let levels = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) at = endOfText(json, at);
    else if (byte === comma) values += 1;
    else if (byte === openBracket || byte === openBrace) {
      values += 1;
      depth += 1;
      if (depth > levels) levels = depth;
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    if (values > most || levels > mostLevels) break;
  }
  return { values, levels };
}

/** The index of the quote that closes the string begun at `start`. */
function endOfText(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    if (json[at] === backslash) at += 1;
    else if (json[at] === quote) return at;
  }
  return json.length;
}
