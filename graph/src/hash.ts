/**
 * One text for one JSON value, whatever the order of its keys: the canonical form of RFC 8785. Two
 * graphs are equal if their texts are. The caller computes the digest, because this module runs in
 * browsers too.
 */
import { tooDeep } from './json.ts';

/** Safe for the stack, and deeper than any request. */
const deepest = 500;

/** Refuses values JSON cannot represent (NaN, functions) instead of dropping them silently. */
export function canonicalJson(value: unknown): string {
  if (tooDeep(value, deepest))
    throw new TypeError('The value is nested too deeply for canonical JSON.');
  return write(value);
}

/**
 * What a graph does, as canonical JSON: two graphs do the same if these texts are equal. The SHA-256
 * of its UTF-8 is the `logic_hash` of a version.
 */
export const logicText = (graph: Drawn): string => canonicalJson(logicOf(graph));

/** A graph; which fields it has is not checked here. */
type Drawn = {
  nodes: readonly { key: string; title?: unknown; position?: unknown }[];
  notes?: unknown;
};

/** The graph without what only readers see: notes, and titles and positions of nodes. */
function logicOf({ notes: _, nodes, ...graph }: Drawn) {
  return { ...graph, nodes: nodes.map(({ title: _, position: __, ...node }) => node) };
}

function write(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') {
    return JSON.stringify(value);
  }
  // ECMAScript's number format is that of RFC 8785; both write -0 as 0.
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      // By UTF-16 code units, as the RFC requires; not by locale.
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, member]) => `${JSON.stringify(key)}:${write(member)}`);
    return `{${members.join(',')}}`;
  }
  throw new TypeError(`Canonical JSON has no form for ${String(value)}.`);
}
