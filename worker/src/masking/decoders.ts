/**
 * Decoders of program output, so that a secret is found in its original form. Each is a stage: it
 * takes symbols with their positions, and outputs decoded ones. A new encoding is a new stage here,
 * or a line in the list of mask.ts.
 */
import type { Search } from './automaton.ts';

export type Stage = Search;

const code = (character: string) => character.charCodeAt(0);

/** The bytes a token stands for, `more` while it is incomplete, or `none`. */
type Token = Uint8Array | 'more' | 'none';

/**
 * Replaces tokens that begin with `lead` by the bytes they stand for. `read` is called after each
 * character of a token; text that is not a token is unchanged.
 */
function tokens(lead: string, read: (text: string) => Token, next: Stage): Stage {
  const leading = code(lead);
  let text = '';
  let places: [start: number, end: number][] = [];
  const push = (byte: number, start: number, end: number) => {
    if (byte !== leading && text === '') return next.push(byte, start, end);
    text += String.fromCharCode(byte);
    places.push([start, end]);
    const token = read(text);
    if (token === 'more') return undefined;
    const [whole, written] = [text, places];
    text = '';
    places = [];
    const from = written[0]?.[0] ?? start;
    if (token !== 'none') for (const one of token) next.push(one, from, end);
    else {
      for (const [index, [first, last]] of written.entries()) {
        if (index === 0) next.push(whole.charCodeAt(0), first, last);
        else push(whole.charCodeAt(index), first, last);
      }
    }
    return undefined;
  };
  return {
    push,
    reset: () => {
      text = '';
      places = [];
      next.reset();
    },
    openSince: () => next.openSince() ?? places[0]?.[0],
  };
}

const byte = (digits: string) => Uint8Array.of(Number.parseInt(digits, 16));
const character = (point: number) =>
  point <= 0x10ffff ? Buffer.from(String.fromCodePoint(point)) : 'none';

/** `%2f` and `%2F`, whichever characters are encoded. */
export const percent = (next: Stage): Stage => tokens('%', percentToken, next);

function percentToken(text: string): Token {
  if (/^%[0-9a-f]{2}$/i.test(text)) return byte(text.slice(1));
  return /^%[0-9a-f]?$/i.test(text) ? 'more' : 'none';
}

/** `+` for a space, as in forms. */
export const plus = (next: Stage): Stage => ({
  ...next,
  push: (symbol, start, end) => next.push(symbol === plusSign ? blank : symbol, start, end),
});
const plusSign = code('+');
const blank = code(' ');

/**
 * Strings of JSON, JavaScript, Python, C and shells: `\n`, `\"`, `\u00e4`, `\x2f`, `\057`, `\$`.
 */
export const backslash = (next: Stage): Stage => tokens('\\', backslashToken, next);

const named: Record<string, string> = {
  ...{ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', a: '\x07', e: '\x1b' },
};

const shapes: [begins: RegExp, whole: RegExp][] = [
  [/^\\x[0-9a-f]?$/i, /^\\x([0-9a-f]{2})$/i],
  [/^\\U[0-9a-fA-F]{0,7}$/, /^\\U([0-9a-fA-F]{8})$/],
  [/^\\u\{[0-9a-f]{0,6}$/i, /^\\u\{([0-9a-f]{1,6})\}$/i],
  [/^\\u[0-9a-f]{0,3}$/i, /^\\u([0-9a-f]{4})$/i],
];

function backslashToken(text: string): Token {
  if (text.length === 1) return 'more';
  const octal = /^\\[0-3]([0-7]{0,2})$/.exec(text);
  if (octal) {
    if (octal[1]?.length === 2) return Uint8Array.of(Number.parseInt(text.slice(1), 8));
    return 'more';
  }
  // A character above U+FFFF is a surrogate pair.
  const pair = /^\\u(d[89ab][0-9a-f]{2})(\\(?:u(?:(?:d[c-f]?)?[0-9a-f]{0,2})?)?)?$/i.exec(text);
  if (pair) {
    if (text.length < 12) return 'more';
    const low = Number.parseInt(text.slice(8), 16);
    return character(
      0x10000 + ((Number.parseInt(pair[1] ?? '', 16) & 0x3ff) << 10) + (low & 0x3ff),
    );
  }
  for (const [begins, whole] of shapes) {
    const digits = whole.exec(text)?.[1];
    if (digits !== undefined)
      return text[1] === 'x' ? byte(digits) : character(Number.parseInt(digits, 16));
    if (begins.test(text)) return 'more';
  }
  if (text.length > 2) return 'none';
  const escaped = text[1] ?? '';
  return Buffer.from(named[escaped] ?? escaped, 'latin1');
}

/** `&amp;`, `&#38;`, `&#x26;`. */
export const html = (next: Stage): Stage => tokens('&', htmlToken, next);

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function htmlToken(text: string): Token {
  const [, name, decimal, hexadecimal] =
    /^&(?:([a-z]{2,4})|#(\d{1,7})|#x([0-9a-f]{1,6}));$/i.exec(text) ?? [];
  const entity = name && entities[name.toLowerCase()];
  if (entity) return Buffer.from(entity);
  if (decimal) return character(Number(decimal));
  if (hexadecimal) return character(Number.parseInt(hexadecimal, 16));
  return /^&(?:[a-z]{0,4}|#\d{0,7}|#x[0-9a-f]{0,6})$/i.test(text) ? 'more' : 'none';
}

/** Encoders do not wrap at fewer characters, so a shorter line ends the encoded text. */
const shortestBrokenLine = 16;
const mostBlanks = 64;

/**
 * Digits of an encoding, also if wrapped into lines or indented. `isSeparator` tells which other
 * characters may be between two bytes.
 */
function digits(values: Int8Array, isSeparator: (byte: number) => boolean, next: Stage): Stage {
  let line = 0;
  let blanks = 0;
  const reset = () => {
    line = 0;
    blanks = 0;
    next.reset();
  };
  return {
    ...next,
    push: (symbol, start, end) => {
      const value = values[symbol] ?? -1;
      if (value >= 0) {
        if (blanks > 0) line = 0;
        line += 1;
        blanks = 0;
        return next.push(value, start, end);
      }
      if (symbol === code('\n') || symbol === code('\r')) {
        if (line < shortestBrokenLine) return reset();
        blanks += 1;
      } else if (blanks > 0 && (symbol === code(' ') || symbol === code('\t'))) blanks += 1;
      else if (!isSeparator(symbol)) return reset();
      return blanks > mostBlanks ? reset() : undefined;
    },
    reset,
  };
}

function valuesOf(...alphabets: string[]): Int8Array {
  const values = new Int8Array(256).fill(-1);
  for (const alphabet of alphabets)
    for (const [value, digit] of [...alphabet].entries()) values[code(digit)] = value;
  return values;
}

const alphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const base64Values = valuesOf(`${alphanumeric}+/`, `${alphanumeric}-_`);
const hexValues = valuesOf('0123456789abcdef', '0123456789ABCDEF');

/** Digits of six bits, in either alphabet. */
export const base64 = (next: Stage): Stage => digits(base64Values, () => false, next);

/** Digits of four bits, also as `de:ad` and `de ad`. */
export const hex = (next: Stage): Stage =>
  digits(hexValues, (byte) => byte === code(':') || byte === code(' '), next);

/**
 * The digits of a text in base64 for each position within a larger one: three bytes are four
 * digits, so the preceding bytes shift it. Digits shared with neighbouring bytes are omitted.
 */
export const base64Digits = (bytes: Uint8Array): number[][] =>
  [0, 1, 2].map((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const from = Math.ceil((8 * shift) / 6);
    const to = Math.floor((8 * (shift + bytes.length)) / 6);
    return [...shifted.slice(from, to)].map((digit) => base64Values[code(digit)] ?? 0);
  });

export const hexDigits = (bytes: Uint8Array): number[] =>
  [...bytes].flatMap((byte) => [byte >> 4, byte & 15]);
