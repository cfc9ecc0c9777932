/**
 * The params of a definition as rows of a table, where their JSON Schema can be told so: flat, with
 * a type, a default and limits each. Other schemas stay JSON. Pure.
 */
import { isObject } from '@cogworks/graph/json';
import { t } from '@lingui/core/macro';

export const paramTypes = ['string', 'integer', 'number', 'boolean', 'choice', 'secret'] as const;
export type ParamType = (typeof paramTypes)[number];

/** As typed: everything is text but the switches. */
export type ParamRow = {
  name: string;
  type: ParamType;
  description: string;
  default: string;
  minimum: string;
  maximum: string;
  /** One a line. */
  choices: string;
  isRequired: boolean;
};

export const emptyParam: ParamRow = {
  name: '',
  type: 'string',
  description: '',
  default: '',
  minimum: '',
  maximum: '',
  choices: '',
  isRequired: false,
};

export const typeWords: Readonly<Record<ParamType, string>> = {
  string: t`Text`,
  integer: t`Whole number`,
  number: t`Number`,
  boolean: t`Yes or no`,
  choice: t`Choice`,
  secret: t`Secret`,
};

type Json = Readonly<Record<string, unknown>>;

const schemaKeys = new Set(['type', 'properties', 'required', 'additionalProperties', '$schema']);
const commonKeys = ['type', 'description', 'default'];
const keysOf: Readonly<Record<ParamType, readonly string[]>> = {
  string: commonKeys,
  boolean: commonKeys,
  integer: [...commonKeys, 'minimum', 'maximum'],
  number: [...commonKeys, 'minimum', 'maximum'],
  choice: [...commonKeys, 'enum'],
  secret: ['type', 'description', 'x-secret'],
};

/** @returns undefined if the schema says more than rows can tell. */
export function rowsOf(schema: Json): ParamRow[] | undefined {
  const { properties = {}, required = [], additionalProperties = false } = schema;
  const isFlat =
    Object.keys(schema).every((key) => schemaKeys.has(key)) &&
    additionalProperties === false &&
    isObject(properties) &&
    Array.isArray(required);
  if (!isFlat) return undefined;
  const rows: ParamRow[] = [];
  for (const [name, part] of Object.entries(properties)) {
    const row = isObject(part) ? rowOf(name, part, required.includes(name)) : undefined;
    if (!row) return undefined;
    rows.push(row);
  }
  return rows;
}

function rowOf(name: string, part: Json, isRequired: boolean): ParamRow | undefined {
  const type = typeOf(part);
  if (type === undefined) return undefined;
  const known = keysOf[type];
  if (!Object.keys(part).every((key) => known.includes(key))) return undefined;
  const choices = Array.isArray(part.enum) ? part.enum : [];
  if (!choices.every((choice) => typeof choice === 'string' && !choice.includes('\n'))) {
    return undefined;
  }
  if (part.default !== undefined && typeof part.default === 'object') return undefined;
  return {
    name,
    type,
    description: textOf(part.description),
    default: textOf(part.default),
    minimum: textOf(part.minimum),
    maximum: textOf(part.maximum),
    choices: choices.join('\n'),
    isRequired,
  };
}

const textOf = (value: unknown) => (value === undefined ? '' : String(value));

function typeOf(part: Json): ParamType | undefined {
  if (part['x-secret'] === true) return 'secret';
  if ('enum' in part)
    return part.type === undefined || part.type === 'string' ? 'choice' : undefined;
  return paramTypes.slice(0, 4).find((type) => type === part.type);
}

/** The schema of the rows. Text that is no number is sent as it is: the service says what is wrong. */
export function schemaOf(rows: readonly ParamRow[]): Record<string, unknown> {
  const required = rows.filter((row) => row.isRequired).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(rows.map((row) => [row.name, partOf(row)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function partOf({ type, description, ...row }: ParamRow): Json {
  const about = description === '' ? {} : { description };
  const usual = row.default === '' ? {} : { default: typedValue(type, row.default) };
  switch (type) {
    case 'secret':
      return { type: 'string', 'x-secret': true, ...about };
    case 'choice':
      return { type: 'string', enum: linesOf(row.choices), ...about, ...usual };
    case 'integer':
    case 'number':
      return {
        type,
        ...about,
        ...(row.minimum !== '' && { minimum: typedValue(type, row.minimum) }),
        ...(row.maximum !== '' && { maximum: typedValue(type, row.maximum) }),
        ...usual,
      };
    default:
      return { type, ...about, ...usual };
  }
}

function typedValue(type: ParamType, text: string): unknown {
  if (type === 'boolean') return text === 'true';
  if (type !== 'integer' && type !== 'number') return text;
  const value = Number(text.replace(',', '.'));
  return Number.isFinite(value) ? value : text;
}

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** "from 1 to 10", "one of fit, fill". */
export function limitWords({ type, minimum, maximum, choices }: ParamRow): string {
  if (type === 'choice') {
    const all = linesOf(choices).join(', ');
    return t`one of ${all}`;
  }
  if (minimum !== '' && maximum !== '') return t`from ${minimum} to ${maximum}`;
  if (minimum !== '') return t`at least ${minimum}`;
  return maximum === '' ? '' : t`at most ${maximum}`;
}

/** A plain word for what a default is; nothing without one. */
export function defaultWords({ type, default: usual }: ParamRow): string {
  if (usual === '') return '';
  return type === 'boolean' ? (usual === 'true' ? t`yes` : t`no`) : usual;
}
