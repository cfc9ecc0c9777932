/** The keywords of JSON Schema that apply further schemas to a value or to parts of it. */
import { isObject, own, pointerTo } from './json.ts';
import {
  type Check,
  fail,
  hasUnknown,
  isMembers,
  type Keyword,
  list,
  matches,
  type Place,
  plainKeywords,
  type SchemaFault,
} from './schema-values.ts';

/** Deeper than any hand-written schema, and safe for the stack. */
const deepest = 300;

const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ...plainKeywords,
  ['prefixItems', checkPrefix],
  ['items', checkItems],
  ['contains', checkContains],

  ['properties', checkProperties],
  ['patternProperties', checkPatternProperties],
  ['additionalProperties', checkAdditional],
  ['propertyNames', checkNames],
  ['dependentSchemas', checkDependentSchemas],

  ['$ref', ({ setting, value, check }) => apply(resolve(check.root, setting), value, check)],
  ['allOf', checkAllOf],
  ['anyOf', checkAnyOf],
  ['oneOf', checkOneOf],
  ['not', checkNot],
  ['if', checkIf],
]);

/** Applies all keywords of a schema to a value; `false` accepts no value. */
export function apply(schema: unknown, value: unknown, check: Check): void {
  const { effort } = check;
  effort.left--;
  if (effort.depth > deepest) effort.left = 0;
  if (effort.left <= 0) return;
  if (schema === false) fail(check, 'is not allowed');
  if (!isObject(schema)) return;

  effort.depth++;
  for (const [keyword, setting] of Object.entries(schema)) {
    effort.left -= list(setting).length / 10;
    keywords.get(keyword)?.({ schema, setting, value, check });
  }
  effort.depth--;
}

function applyTo(key: string | number, schema: unknown, value: unknown, check: Check) {
  apply(schema, value, { ...check, pointer: pointerTo(check.pointer, key) });
}

/** The faults of one alternative, separate from the others. */
function faultsOf(schema: unknown, value: unknown, check: Check): SchemaFault[] {
  const alternative = { ...check, faults: [] };
  apply(schema, value, alternative);
  return alternative.faults;
}

function checkPrefix({ setting, value, check }: Place) {
  if (!Array.isArray(value)) return;
  list(setting).forEach((schema, place) => {
    if (place < value.length) applyTo(place, schema, value[place], check);
  });
}

function checkItems({ schema, setting, value, check }: Place) {
  if (!Array.isArray(value)) return;
  const start = list(own(schema, 'prefixItems')).length;
  for (let at = start; at < value.length; at++) applyTo(at, setting, value[at], check);
}

function checkContains({ schema, setting, value, check }: Place) {
  if (!Array.isArray(value) || hasUnknown(value)) return;
  const count = value.filter((item) => faultsOf(setting, item, check).length === 0).length;
  if (count < limit(schema, 'minContains', 1)) fail(check, 'lacks an item that is asked for');
  if (count > limit(schema, 'maxContains', count)) fail(check, 'has too many items of a kind');
}

function limit(schema: Record<string, unknown>, keyword: string, fallback: number): number {
  const setting = own(schema, keyword);
  return typeof setting === 'number' ? setting : fallback;
}

function checkProperties({ setting, value, check }: Place) {
  if (!isMembers(value) || !isObject(setting)) return;
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(setting, name)) applyTo(name, setting[name], member, check);
  }
}

function checkPatternProperties({ setting, value, check }: Place) {
  if (!isMembers(value) || !isObject(setting)) return;
  for (const [source, schema] of Object.entries(setting)) {
    for (const [name, member] of Object.entries(value)) {
      if (matches(source, name, check)) applyTo(name, schema, member, check);
    }
  }
}

function checkAdditional({ schema, setting, value, check }: Place) {
  if (!isMembers(value)) return;
  const named = own(schema, 'properties') ?? {};
  const sources = Object.keys(own(schema, 'patternProperties') ?? {});
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(named, name)) continue;
    if (sources.some((source) => matches(source, name, check))) continue;
    applyTo(name, setting, member, check);
  }
}

function checkNames({ setting, value, check }: Place) {
  if (!isMembers(value)) return;
  for (const name of Object.keys(value)) applyTo(name, setting, name, check);
}

function checkDependentSchemas({ setting, value, check }: Place) {
  if (!isMembers(value) || !isObject(setting)) return;
  for (const [name, schema] of Object.entries(setting)) {
    if (Object.hasOwn(value, name)) apply(schema, value, check);
  }
}

/** `#`, `#/$defs/name` and the like; anything else is missing and accepts no value. */
function resolve(root: unknown, reference: unknown): unknown {
  const [start, ...steps] = String(reference).split('/');
  if (start !== '#') return false;
  return steps.reduce<unknown>((schema, step) => {
    const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    return Array.isArray(schema) ? schema[Number(key)] : (own(schema, key) ?? false);
  }, root);
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function checkAllOf({ setting, value, check }: Place) {
  for (const schema of list(setting)) apply(schema, value, check);
}

function checkAnyOf({ setting, value, check }: Place) {
  const faults = list(setting).map((schema) => faultsOf(schema, value, check));
  if (faults.length > 0 && faults.every(({ length }) => length > 0)) noneFits(faults, check);
}

function checkOneOf({ setting, value, check }: Place) {
  const faults = list(setting).map((schema) => faultsOf(schema, value, check));
  const fitting = faults.filter(({ length }) => length === 0).length;
  if (fitting === 0) noneFits(faults, check);
  // A value that is not yet known may turn out to fit only one.
  if (fitting > 1 && !hasUnknown(value)) fail(check, 'fits more than one of its alternatives');
}

/** A single alternative gives its own faults; of several, the intended one is unknown. */
function noneFits(faults: { message: string; pointer: string }[][], check: Check) {
  if (faults.length === 1) check.faults.push(...faults.flat());
  else fail(check, 'fits none of its alternatives');
}

function checkNot({ setting, value, check }: Place) {
  if (hasUnknown(value)) return;
  if (faultsOf(setting, value, check).length === 0) fail(check, 'is excluded');
}

function checkIf({ schema, setting, value, check }: Place) {
  if (hasUnknown(value)) return;
  const holds = faultsOf(setting, value, check).length === 0;
  apply(own(schema, holds ? 'then' : 'else') ?? true, value, check);
}
