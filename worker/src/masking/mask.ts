/**
 * Takes secrets out of a stream of bytes, as they are and in the encodings that programs write
 * them in, also where the chunks cut them in two. The stream is read in several ways at once, one
 * for each encoding, and each looks for the secret behind it; so it does not matter which
 * characters an encoder left as they are. Work is linear in the bytes.
 */
import { type Needles, needlesOf, type Search, search } from './needles.ts';
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
} from './readings.ts';

/** In characters. What is shorter stands in too many harmless words to be taken out of them. */
export const shortestSecret = 6;
const stars = Buffer.from('***');

/** Each way to read the stream, and which digits of the secret it then shows. */
const readings: [read: (search: Search) => Stage, digits: 'bytes' | 'base64' | 'hex'][] = [
  [(next) => next, 'bytes'],
  [percent, 'bytes'],
  [(next) => plus(percent(next)), 'bytes'],
  [backslash, 'bytes'],
  // JSON within JSON, as structured logs write it.
  [(next) => backslash(backslash(next)), 'bytes'],
  [html, 'bytes'],
  // Also within a string or a URL.
  [(next) => backslash(percent(base64(next))), 'base64'],
  [hex, 'hex'],
];

export type Mask = {
  /** The bytes that can be shown so far; a tail that may begin a secret is kept back. */
  push(chunk: Buffer): Buffer;
  end(): Buffer;
};

type Range = { start: number; end: number };

export function maskSecrets(secrets: string[]): Mask {
  const forms = formsOf(secrets);
  if (forms.length === 0) return { push: (chunk) => chunk, end: () => Buffer.alloc(0) };
  const needles: Record<'bytes' | 'base64' | 'hex', Needles> = {
    bytes: needlesOf(forms),
    base64: needlesOf(forms.flatMap(base64Digits)),
    hex: needlesOf(forms.map(hexDigits)),
  };
  let found: Range[] = [];
  const note = (start: number, end: number) => {
    const last = found.at(-1);
    if (last && last.start <= start && start <= last.end) last.end = Math.max(last.end, end);
    else found.push({ start, end });
  };
  const stages = readings.map(([read, digits]) => read(search(needles[digits], note)));
  let kept: Buffer = Buffer.alloc(0);
  /** Places are counted from the beginning of the stream; this one is of the first kept byte. */
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

/** The secrets and, of those with several, their lines: programs write them with other line ends. */
function formsOf(secrets: string[]): Uint8Array[] {
  const texts = secrets.flatMap((secret) => [
    secret,
    ...secret.split(/[\r\n]+/).map((line) => line.trim()),
  ]);
  const long = new Set(texts.filter((text) => text.length >= shortestSecret));
  return [...long].map((text) => Buffer.from(text));
}

/** In the order of the stream, those that overlap or touch as one. */
function merged(ranges: Range[]): Range[] {
  const result: Range[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** What is shown must not end within a secret. */
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
