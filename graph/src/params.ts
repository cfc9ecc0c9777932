/**
 * Checks params of a node against the schema of its definition. Used for a graph, where only the
 * types of variables are known, and again for a run, where their values are.
 */
import { isObject, type JsonType, jsonTypeOf, own, pointerTo } from './json.ts';
import { type Budget, checkValue, declaredParams, withDefaults } from './schema.ts';
import { type SchemaFault, UnknownValue } from './schema-values.ts';
import { referencesIn, soleReference } from './template.ts';
import type { Definition, GraphVariable } from './types.ts';

/** The faults of params; pointers lead into them. Defaults of the schema are applied first. */
export function paramFaults(
  definition: Pick<Definition, 'params'>,
  params: Readonly<Record<string, unknown>>,
  budget?: Budget,
): SchemaFault[] {
  const schema = definition.params ?? {};
  const secret = new Set(secretParams(schema));
  const faults: SchemaFault[] = [];
  const plain = Object.entries(withDefaults(schema, params)).map(([name, value]) => {
    const pointer = pointerTo('', name);
    if (secret.has(name) && !isSecret(value)) faults.push({ pointer, message: mustBeSecret });
    if (!secret.has(name) && isSecret(value)) faults.push({ pointer, message: 'takes no secret' });
    return [name, secret.has(name) || isSecret(value) ? anyValue : value];
  });
  return [...faults, ...checkValue(schema, Object.fromEntries(plain), budget)];
}

const mustBeSecret = 'must be given as {"$secret": "NAME"}, since graphs are shown to everybody';

/** A value whose type only a run will know. */
const anyValue = new UnknownValue([
  'null',
  'boolean',
  'number',
  'integer',
  'string',
  'array',
  'object',
]);

/** The params that hold secrets, marked by `x-secret` in the schema. */
export function secretParams(schema: unknown): string[] {
  return [...declaredParams(schema).keys()].filter((name) => isSecretParam(schema, name));
}

export const isSecretParam = (schema: unknown, name: string): boolean =>
  own(own(own(schema, 'properties'), name), 'x-secret') === true;

export function isSecret(value: unknown): value is { $secret: string } {
  return (
    isObject(value) && Object.keys(value).length === 1 && typeof own(value, '$secret') === 'string'
  );
}

/** Params with an UnknownValue in place of every variable. */
export function withUnknowns(
  params: Readonly<Record<string, unknown>>,
  variables: ReadonlyMap<string, GraphVariable>,
): Record<string, unknown> {
  const entries = Object.entries(params);
  return Object.fromEntries(entries.map(([name, value]) => [name, unknownIn(value, variables)]));
}

function unknownIn(value: unknown, variables: ReadonlyMap<string, GraphVariable>): unknown {
  if (typeof value === 'string') {
    const sole = soleReference(value);
    const variable = sole?.kind === 'vars' ? variables.get(sole.name) : undefined;
    if (variable) return new UnknownValue(typesOfVariable(variable));
    if (sole) return anyValue;
    return referencesIn(value).length > 0 ? new UnknownValue(['string']) : value;
  }
  if (Array.isArray(value)) return value.map((item) => unknownIn(item, variables));
  return isObject(value) ? withUnknowns(value, variables) : value;
}

export function typesOfVariable({ type, enum: values }: GraphVariable): JsonType[] {
  return type === 'enum' ? [...new Set(values?.map(jsonTypeOf))] : [type];
}
