/**
 * Removes secrets from a stream of bytes, both in plain form and in common encodings, even if
 * chunks split them. The stream is decoded in several ways at once, one for each encoding, and each
 * result is searched for the secret itself, so it does not matter which characters an encoder left
 * unchanged. Linear in the number of bytes.
 */
import { type Automaton, automatonOf, type Search, search } from './automaton.ts';
import {
  backslash,
  base64,
  base64Digits,
  hex,
  hexDigits,
  html,
  percent,
  plus,
  type Stage,
} from './decoders.ts';

/** In characters. Shorter texts occur in too many harmless words. */
export const shortestSecret = 6;
const stars = Buffer.from('***');

/** Each way to decode the stream, and the form in which the secret is searched there. */
const decodings: [decode: (search: Search) => Stage, digits: 'bytes' | 'base64' | 'hex'][] = [
  [(next) => next, 'bytes'],
  [percent, 'bytes'],
  [(next) => plus(percent(next)), 'bytes'],
  [backslash, 'bytes'],
  // JSON within JSON, as in structured logs.
  [(next) => backslash(backslash(next)), 'bytes'],
  [html, 'bytes'],
  // Also within a string or a URL.
  [(next) => backslash(percent(base64(next))), 'base64'],
  [hex, 'hex'],
];

export type Mask = {
  /** @returns the bytes that can be shown; those that may begin a secret are held back. */
  push(chunk: Buffer): Buffer;
  end(): Buffer;
};

type Range = { start: number; end: number };

export function maskSecrets(secrets: string[]): Mask {
  const forms = formsOf(secrets);
  if (forms.length === 0) return { push: (chunk) => chunk, end: () => Buffer.alloc(0) };
  const automata: Record<'bytes' | 'base64' | 'hex', Automaton> = {
    bytes: automatonOf(forms),
    base64: automatonOf(forms.flatMap(base64Digits)),
    hex: automatonOf(forms.map(hexDigits)),
  };
  let found: Range[] = [];
  const note = (start: number, end: number) => {
    const last = found.at(-1);
    if (last && last.start <= start && start <= last.end) last.end = Math.max(last.end, end);
    else found.push({ start, end });
  };
  const stages = decodings.map(([decode, digits]) => decode(search(automata[digits], note)));
  let kept: Buffer = Buffer.alloc(0);
  /** Positions count from the beginning of the stream; this is the first kept byte's. */
  let keptFrom = 0;
  const show = (until: number) => {
    const shown = withStars(kept.subarray(0, until - keptFrom), keptFrom, found);
    found = found.filter(({ end }) => end > until);
    kept = Buffer.from(kept.subarray(until - keptFrom));
    keptFrom = until;
    return shown;
  };

  return {
    push: (chunk) => {
      let place = keptFrom + kept.length;
      kept = Buffer.concat([kept, chunk]);
      for (const byte of chunk) {
        for (const stage of stages) stage.push(byte, place, place + 1);
        place += 1;
      }
      const open = stages.map((stage) => stage.openSince() ?? place);
      found = merged(found);
      return show(beforeFound(Math.min(place, ...open), found));
    },
    end: () => {
      found = merged(found);
      return show(keptFrom + kept.length);
    },
  };
}

/** The secrets, and each line of multi-line ones, because programs may change line ends. */
function formsOf(secrets: string[]): Uint8Array[] {
  const texts = secrets.flatMap((secret) => [
    secret,
    ...secret.split(/[\r\n]+/).map((line) => line.trim()),
  ]);
  const long = new Set(texts.filter((text) => text.length >= shortestSecret));
  return [...long].map((text) => Buffer.from(text));
}

/** In stream order, with overlapping and adjacent ranges joined. */
function merged(ranges: Range[]): Range[] {
  const result: Range[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** Where to stop, so that the shown part does not end within a secret. */
const beforeFound = (place: number, found: Range[]) =>
  found.find(({ start, end }) => start < place && place < end)?.start ?? place;

function withStars(bytes: Buffer, from: number, found: Range[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end } of found) {
    if (start - from >= bytes.length) break;
    parts.push(bytes.subarray(at, start - from), stars);
    at = end - from;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}
