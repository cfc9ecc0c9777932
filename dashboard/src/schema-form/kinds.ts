/**
 * How a value that a JSON Schema describes is entered: as text, a number, a choice, a list … Pure.
 * Schemas have the keywords that registration allows (`graph/src/schema-shape.ts`); what has no
 * field of its own is entered as JSON.
 */
import { isObject, own } from '@cogworks/graph/json';
import { checkValue } from '@cogworks/graph/schema';
import { t } from '@lingui/core/macro';
import { formatCount } from '../ui/format.ts';

export type Schema = Readonly<Record<string, unknown>>;

export type Choice = { value: unknown; label: string };
export type Member = { name: string; schema: Schema; isRequired: boolean };

export type FieldKind =
  | { kind: 'secret' }
  | { kind: 'boolean' }
  | { kind: 'text'; isLong: boolean }
  | { kind: 'number'; isWhole: boolean }
  | { kind: 'choice'; choices: Choice[] }
  | { kind: 'several'; choices: Choice[] }
  | { kind: 'list'; items: Schema }
  | { kind: 'object'; members: Member[] }
  | { kind: 'map'; values: Schema }
  | { kind: 'alternatives'; options: { label: string; schema: Schema }[] }
  | { kind: 'json' };

/** The schema itself instead of a reference to it; references of references, up to ten. */
export function resolved(schema: unknown, root: Schema): Schema {
  let found = schema;
  for (let step = 0; step < 10; step++) {
    const reference = own(found, '$ref');
    if (typeof reference !== 'string') break;
    const [start, ...keys] = reference.split('/');
    const target = keys.reduce<unknown>(
      (part, key) => own(part, key.replaceAll('~1', '/').replaceAll('~0', '~')),
      start === '#' ? root : undefined,
    );
    const { $ref: _, ...rest } = found as Schema;
    found = isObject(target) ? { ...target, ...rest } : rest;
  }
  return isObject(found) ? found : {};
}

/** With the definitions that its references lead to, so that it can be checked alone. */
export function withDefinitions(schema: Schema, root: Schema): Schema {
  const { $defs, definitions } = root;
  return { ...schema, ...($defs ? { $defs } : {}), ...(definitions ? { definitions } : {}) };
}

/** The types that a value may have, without null. */
export function typesIn(schema: Schema): string[] {
  return [schema.type]
    .flat()
    .filter((type) => typeof type === 'string' && type !== 'null') as string[];
}

export const takesNull = (schema: Schema): boolean =>
  Array.isArray(schema.type) && schema.type.includes('null');

export function kindOf(given: unknown, root: Schema): FieldKind {
  const schema = resolved(given, root);
  if (schema['x-secret'] === true) return { kind: 'secret' };
  const choices = choicesOf(schema, root);
  if (choices) return { kind: 'choice', choices };
  const alternatives = alternativesOf(schema, root);
  if (alternatives) return { kind: 'alternatives', options: alternatives };

  const types = typesIn(schema);
  const [type] = types;
  if (types.length === 2 && types.includes('integer') && types.includes('number')) {
    return { kind: 'number', isWhole: false };
  }
  if (types.length !== 1) return { kind: 'json' };
  switch (type) {
    case 'string':
      return { kind: 'text', isLong: isLongText(schema) };
    case 'integer':
    case 'number':
      return { kind: 'number', isWhole: type === 'integer' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array':
      return listKind(schema, root);
    default:
      return objectKind(schema);
  }
}

const isLongText = ({ format, contentMediaType, maxLength }: Schema) =>
  format === 'textarea' || contentMediaType !== undefined || Number(maxLength ?? 0) > 200;

function choicesOf(schema: Schema, root: Schema): Choice[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [choice(schema.const)];
  if (Array.isArray(schema.enum)) return schema.enum.map(choice);
  const parts = partsOf(schema, root);
  if (!parts?.every((part) => Object.hasOwn(part, 'const'))) return undefined;
  return parts.map((part) => ({ value: part.const, label: titleIn(part) ?? wordsFor(part.const) }));
}

const choice = (value: unknown): Choice => ({ value, label: wordsFor(value) });

function alternativesOf(schema: Schema, root: Schema) {
  const parts = partsOf(schema, root);
  return parts?.map((part, at) => ({
    label: titleIn(part) ?? ([part.type].flat().join(' or ') || t`Alternative ${at + 1}`),
    schema: part,
  }));
}

function partsOf(schema: Schema, root: Schema): Schema[] | undefined {
  const parts = schema.oneOf ?? schema.anyOf;
  return Array.isArray(parts) && parts.length > 0
    ? parts.map((part) => resolved(part, root))
    : undefined;
}

const titleIn = ({ title }: Schema) =>
  typeof title === 'string' && title.trim() !== '' ? title : undefined;

function listKind(schema: Schema, root: Schema): FieldKind {
  if (schema.prefixItems !== undefined || schema.contains !== undefined) return { kind: 'json' };
  const items = resolved(schema.items, root);
  const inner = kindOf(items, root);
  if (schema.uniqueItems === true && inner.kind === 'choice') {
    return { kind: 'several', choices: inner.choices };
  }
  return inner.kind === 'json' ? inner : { kind: 'list', items };
}

function objectKind(schema: Schema): FieldKind {
  if (schema.patternProperties !== undefined || schema.if !== undefined) return { kind: 'json' };
  const members = membersOf(schema);
  if (members.length > 0) return { kind: 'object', members };
  const values = schema.additionalProperties;
  return isObject(values) ? { kind: 'map', values } : { kind: 'json' };
}

/**
 * The declared members of an object, in the order of a form: required ones first. The service keeps
 * no order of members.
 */
export function membersOf(schema: Schema): Member[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(own(schema, 'properties') ?? {})
    .map(([name, part]) => ({
      name,
      schema: isObject(part) ? part : {},
      isRequired: required.includes(name),
    }))
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** The title of a schema, else the name as words: `page_size` is "Page size". */
export function labelOf(name: string, schema: Schema): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return titleIn(schema) ?? (words.charAt(0).toUpperCase() + words.slice(1) || name);
}

/** What may be entered, such as "Whole number from 1 to 20". */
export function limitsOf(schema: Schema): string {
  const [type] = typesIn(schema);
  if (type === 'integer' || type === 'number') return numberLimits(schema, type === 'integer');
  if (type === 'string') return textLimits(schema);
  if (type === 'array') return itemLimits(schema);
  return '';
}

function numberLimits(schema: Schema, isWhole: boolean): string {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = schema;
  const kind = isWhole ? t`Whole number` : t`Number`;
  const isSpan = minimum !== undefined && maximum !== undefined;
  const parts = isSpan
    ? []
    : [
        ...(minimum === undefined ? [] : [t`at least ${count(minimum)}`]),
        ...(maximum === undefined ? [] : [t`at most ${count(maximum)}`]),
      ];
  if (above !== undefined) parts.push(t`above ${count(above)}`);
  if (below !== undefined) parts.push(t`below ${count(below)}`);
  if (multipleOf !== undefined && multipleOf !== 1) parts.push(t`in steps of ${count(multipleOf)}`);
  if (parts.length === 0 && !isSpan) return isWhole ? t`Whole number` : '';
  return [isSpan ? spanOfNumbers(minimum, maximum, isWhole) : kind, ...parts].join(', ');
}

function spanOfNumbers(minimum: unknown, maximum: unknown, isWhole: boolean): string {
  const [least, most] = [count(minimum), count(maximum)];
  return isWhole ? t`Whole number from ${least} to ${most}` : t`Number from ${least} to ${most}`;
}

const count = (value: unknown) => (typeof value === 'number' ? formatCount(value) : String(value));

const formats: Readonly<Record<string, string>> = {
  date: t`A date, such as 2026-03-31`,
  'date-time': t`A date and time, such as 2026-03-31T08:00:00Z`,
  time: t`A time, such as 08:00:00`,
  email: t`An e-mail address`,
  uri: t`A web address`,
};

function textLimits({ minLength, maxLength, pattern, format }: Schema): string {
  const known = own(formats, String(format));
  return [
    ...(typeof known === 'string' ? [known] : []),
    lengthLimits(minLength, maxLength),
    typeof pattern === 'string' ? t`Matches ${pattern}` : '',
  ]
    .filter((words) => words !== '')
    .join('. ');
}

function lengthLimits(least: unknown, most: unknown): string {
  if (least !== undefined && most !== undefined)
    return t`${count(least)} to ${count(most)} characters`;
  if (least !== undefined && least !== 0) return t`At least ${count(least)} characters`;
  return most === undefined ? '' : t`At most ${count(most)} characters`;
}

function itemLimits({ minItems: least, maxItems: most }: Schema): string {
  if (least !== undefined && most !== undefined) return t`${count(least)} to ${count(most)} items`;
  if (least !== undefined && least !== 0) return t`At least ${count(least)} items`;
  return most === undefined ? '' : t`At most ${count(most)} items`;
}

/** A value as it is shown in a sentence. */
export function wordsFor(value: unknown): string {
  if (typeof value === 'string') return value === '' ? t`empty text` : value;
  if (value === true) return t`on`;
  if (value === false) return t`off`;
  if (value === null) return t`nothing (null)`;
  return JSON.stringify(value) ?? '';
}

/** What a new item of a list, or a chosen alternative, begins with. */
export function startOf(given: unknown, root: Schema): unknown {
  const schema = resolved(given, root);
  if (schema.default !== undefined) return schema.default;
  const found = kindOf(schema, root);
  switch (found.kind) {
    case 'choice':
      return found.choices[0]?.value;
    case 'boolean':
      return false;
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 0;
    case 'several':
    case 'list':
      return [];
    case 'object':
      return Object.fromEntries(
        found.members
          .filter(({ isRequired }) => isRequired)
          .map((member) => [member.name, startOf(member.schema, root)]),
      );
    case 'map':
      return {};
    case 'alternatives':
      return startOf(found.options[0]?.schema, root);
    case 'text':
      return '';
    default:
      return null;
  }
}

/** The alternative that a value follows; the first one if it follows none. */
export function alternativeOf(
  options: readonly { schema: Schema }[],
  value: unknown,
  root: Schema,
): number {
  const fitting = options.findIndex(
    ({ schema }) => checkValue(withDefinitions(schema, root), value).length === 0,
  );
  return Math.max(0, fitting);
}
