/**
 * One text for one JSON value, whatever the order its keys were written in: the
 * canonical form of RFC 8785. Two graphs are equal when their texts are; the
 * digest of the text is the caller's, for this module runs in browsers too.
 */
import { tooDeep } from './json.ts';

/** Far from the end of the stack, and more than any request brings. */
const deepest = 500;

/** Refuses what JSON cannot say (NaN, functions) rather than dropping it in silence. */
export function canonicalJson(value: unknown): string {
  if (tooDeep(value, deepest))
    throw new TypeError('The value is nested too deeply for canonical JSON.');
  return write(value);
}

function write(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') {
    return JSON.stringify(value);
  }
  // The number format of ECMAScript is that of RFC 8785; both write -0 as 0.
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      // By UTF-16 code units, as the RFC asks; not by locale.
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`);
    return `{${members.join(',')}}`;
  }
  throw new TypeError(`Canonical JSON has no form for ${String(value)}.`);
}
