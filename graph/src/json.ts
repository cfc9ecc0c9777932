/** Facts about JSON values that several modules need. */
export const maxDepth = 100;

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/**
 * Whether a value is nested too deeply. Recursion over user input is safe only after this check:
 * two megabytes of `[` overflow the stack.
 */
export function tooDeep(value: unknown, most = maxDepth): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
  return false;
}

/** The number of values, including the value itself; above `most` it may stop early. */
export function countValues(value: unknown, most: number): number {
  let count = 0;
  const open = [value];
  while (open.length > 0 && count <= most) {
    const next = open.pop();
    count += 1;
    if (typeof next !== 'object' || next === null) continue;
    for (const item of Object.values(next)) open.push(item);
  }
  return count;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The narrowest JSON Schema type: 2 and 2.0 are integers, as in the standard. */
export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'boolean' || typeof value === 'string') return typeof value as JsonType;
  return 'object';
}

/** Extends a JSON Pointer (RFC 6901) by one step. */
export function pointerTo(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The value of an own property; never an inherited one, such as `constructor`. */
export function own(object: unknown, key: string): unknown {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}
