/**
 * The JSON Schema keywords that concern a single value, and the context of a check. Those that
 * refer to other schemas are in schema-structure.ts.
 */
import { canonicalJson } from './hash.ts';
import { isObject, type JsonType, jsonTypeOf, pointerTo } from './json.ts';
import { compilePattern, type Pattern } from './pattern.ts';

/** Stands for a value that only a run will know, with its possible types. */
export class UnknownValue {
  readonly types: readonly JsonType[];
  constructor(types: readonly JsonType[]) {
    this.types = types;
  }
}

/** `pointer` is a JSON Pointer into the value. */
export type SchemaFault = { pointer: string; message: string };

/** One position in the checked value; each alternative gets its own list of faults. */
export type Check = {
  root: unknown;
  pointer: string;
  /** Shared by the whole check, because recursive schemas can branch without end. */
  effort: { left: number; depth: number };
  faults: SchemaFault[];
};

export type Place = {
  schema: Record<string, unknown>;
  setting: unknown;
  value: unknown;
  check: Check;
};
export type Keyword = (place: Place) => void;

const longestMatched = 10_000;

export const plainKeywords: [string, Keyword][] = [
  ['type', checkType],
  ['enum', checkEnum],
  ['const', (place) => checkEnum({ ...place, setting: [place.setting] })],

  ['minimum', number((value, limit) => value >= limit, 'must be at least')],
  ['maximum', number((value, limit) => value <= limit, 'must be at most')],
  ['exclusiveMinimum', number((value, limit) => value > limit, 'must be greater than')],
  ['exclusiveMaximum', number((value, limit) => value < limit, 'must be less than')],
  ['multipleOf', number(isMultipleOf, 'must be a multiple of')],

  ['minLength', string((value, limit) => [...value].length >= limit, 'characters at least')],
  ['maxLength', string((value, limit) => [...value].length <= limit, 'characters at most')],
  ['pattern', checkPattern],

  ['minItems', array((value, limit) => value.length >= limit, 'items at least')],
  ['maxItems', array((value, limit) => value.length <= limit, 'items at most')],
  ['uniqueItems', checkUnique],

  [
    'minProperties',
    object((value, limit) => Object.keys(value).length >= limit, 'members at least'),
  ],
  [
    'maxProperties',
    object((value, limit) => Object.keys(value).length <= limit, 'members at most'),
  ],
  ['required', checkRequired],
  ['dependentRequired', checkDependentRequired],
];

export function fail(check: Check, message: string): void {
  check.faults.push({ pointer: check.pointer, message });
}

/** The possible types of a value; several only if it is not known yet. */
export function typesOf(value: unknown): readonly JsonType[] {
  return value instanceof UnknownValue ? value.types : [jsonTypeOf(value)];
}

export function hasUnknown(value: unknown): boolean {
  if (value instanceof UnknownValue) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasUnknown);
}

function checkType({ setting, value, check }: Place) {
  const allowed = typeof setting === 'string' ? [setting] : list(setting);
  const fits = typesOf(value).some(
    (type) => allowed.includes(type) || (type === 'integer' && allowed.includes('number')),
  );
  if (!fits) fail(check, `must be of type ${allowed.join(' or ')}`);
}

function checkEnum({ setting, value, check }: Place) {
  const allowed = list(setting);
  if (value instanceof UnknownValue) {
    const types = allowed.flatMap(typesOf);
    if (value.types.some((type) => types.includes(type))) return;
    if (value.types.includes('number') && types.includes('integer')) return;
  } else {
    if (hasUnknown(value)) return;
    const text = canonicalJson(value);
    if (allowed.some((item) => canonicalJson(item) === text)) return;
  }
  fail(check, `must be ${allowed.map((item) => JSON.stringify(item)).join(' or ')}`);
}

function number(holds: (value: number, limit: number) => boolean, words: string): Keyword {
  return ({ setting, value, check }) => {
    if (typeof value !== 'number' || typeof setting !== 'number') return;
    if (!holds(value, setting)) fail(check, `${words} ${setting}`);
  };
}

/** 0.3 is a multiple of 0.1, although 0.3 / 0.1 is 2.9999999999999996. */
function isMultipleOf(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

function string(holds: (value: string, limit: number) => boolean, words: string): Keyword {
  return ({ setting, value, check }) => {
    if (typeof value !== 'string' || typeof setting !== 'number') return;
    if (!holds(value, setting)) fail(check, `must have ${setting} ${words}`);
  };
}

function checkPattern({ setting, value, check }: Place) {
  if (typeof value !== 'string') return;
  if (value.length > longestMatched) fail(check, 'is too long for its pattern');
  else if (!matches(setting, value, check)) fail(check, `must match ${String(setting)}`);
}

const stepsOfEffort = 100;

/** Also false once the effort is spent: the whole check has failed by then. */
export function matches(source: unknown, text: string, { effort }: Check): boolean {
  const pattern = patternOf(source);
  if (!pattern) return false;
  effort.left -= (pattern.cost * text.length) / stepsOfEffort;
  return effort.left > 0 && pattern.matches(text);
}

const compiled = new Map<unknown, Pattern | undefined>();

/** Cached, since thousands of nodes share few patterns; cleared when it grows large. */
function patternOf(source: unknown): Pattern | undefined {
  if (typeof source !== 'string') return undefined;
  if (!compiled.has(source)) {
    if (compiled.size >= 500) compiled.clear();
    const pattern = compilePattern(source);
    compiled.set(source, 'fault' in pattern ? undefined : pattern);
  }
  return compiled.get(source);
}

function array(holds: (value: unknown[], limit: number) => boolean, words: string): Keyword {
  return ({ setting, value, check }) => {
    if (!Array.isArray(value) || typeof setting !== 'number') return;
    if (!holds(value, setting)) fail(check, `must have ${setting} ${words}`);
  };
}

function checkUnique({ setting, value, check }: Place) {
  if (setting !== true || !Array.isArray(value) || hasUnknown(value)) return;
  if (new Set(value.map(canonicalJson)).size < value.length) fail(check, 'must not repeat items');
}

function object(
  holds: (value: Record<string, unknown>, limit: number) => boolean,
  words: string,
): Keyword {
  return ({ setting, value, check }) => {
    if (!isMembers(value) || typeof setting !== 'number') return;
    if (!holds(value, setting)) fail(check, `must have ${setting} ${words}`);
  };
}

function checkRequired({ setting, value, check }: Place) {
  if (isMembers(value)) requireAll(list(setting), value, check);
}

function checkDependentRequired({ setting, value, check }: Place) {
  if (!isMembers(value) || !isObject(setting)) return;
  for (const [name, names] of Object.entries(setting)) {
    if (Object.hasOwn(value, name)) requireAll(list(names), value, check);
  }
}

/** The fault points to the missing member, where a form would show it. */
function requireAll(names: unknown[], value: Record<string, unknown>, check: Check) {
  for (const name of names) {
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
    fail({ ...check, pointer: pointerTo(check.pointer, name) }, 'is required');
  }
}

export function isMembers(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof UnknownValue);
}

export function list(setting: unknown): unknown[] {
  return Array.isArray(setting) ? setting : [];
}
