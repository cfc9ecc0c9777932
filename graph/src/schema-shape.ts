/**
 * Which JSON Schemas a node definition may use for its params. A keyword that checkValue does not
 * support is refused rather than silently ignored.
 */
import { isObject, pointerTo, tooDeep } from './json.ts';
import { compilePattern } from './pattern.ts';
import type { SchemaFault } from './schema-values.ts';

type Shape = { words: string; holds: (setting: unknown) => boolean };

const types = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
const isList = (setting: unknown): setting is unknown[] => Array.isArray(setting);
const isText = (setting: unknown) => typeof setting === 'string';
const isTexts = (setting: unknown) => isList(setting) && setting.every(isText);
const isSchema = (setting: unknown) => isObject(setting) || typeof setting === 'boolean';

const anything: Shape = { words: 'anything', holds: () => true };
const aText: Shape = { words: 'a text', holds: isText };
const aFlag: Shape = { words: 'true or false', holds: (setting) => typeof setting === 'boolean' };
const aNumber: Shape = { words: 'a number', holds: Number.isFinite };
const aStep: Shape = {
  words: 'a number above 0',
  holds: (it) => Number.isFinite(it) && Number(it) > 0,
};
const aCount: Shape = {
  words: 'a whole number from 0',
  holds: (setting) => Number.isSafeInteger(setting) && Number(setting) >= 0,
};
const someTexts: Shape = { words: 'a list of texts', holds: isTexts };
const someValues: Shape = { words: 'a list of values', holds: (it) => isList(it) && it.length > 0 };
const textsByName: Shape = {
  words: 'lists of texts by name',
  holds: (setting) => isObject(setting) && Object.values(setting).every(isTexts),
};
const aType: Shape = {
  words: `one of ${types.join(', ')}, or a list of them`,
  holds: (setting) =>
    [setting].flat().length > 0 && [setting].flat().every((it) => types.includes(String(it))),
};
const aReference: Shape = {
  words: 'a reference within the schema, such as #/$defs/name',
  holds: (setting) => typeof setting === 'string' && /^#(?:\/|$)/u.test(setting),
};
const aSchema: Shape = { words: 'a schema', holds: isSchema };
const someSchemas: Shape = {
  words: 'a list of schemas',
  holds: (it) => isList(it) && it.length > 0,
};
const schemasByName: Shape = { words: 'schemas by name', holds: isObject };

const shapes: ReadonlyMap<string, Shape> = new Map([
  ...named(anything, ['default', 'const', 'examples', 'deprecated', 'readOnly', 'writeOnly']),
  ...named(aText, ['$schema', '$id', '$comment', 'title', 'description', 'format']),
  ...named(aText, ['contentMediaType', 'contentEncoding', 'pattern']),
  ...named(aNumber, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']),
  ...named(aStep, ['multipleOf']),
  ...named(aCount, [
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minContains',
    'maxContains',
  ]),
  ...named(aCount, ['minProperties', 'maxProperties']),
  ...named(aFlag, ['uniqueItems']),
  ...named(someTexts, ['required']),
  ...named(someValues, ['enum']),
  ...named(textsByName, ['dependentRequired']),
  ...named(aType, ['type']),
  ...named(aReference, ['$ref']),
  ...named(aSchema, ['items', 'contains', 'additionalProperties', 'propertyNames']),
  ...named(aSchema, ['not', 'if', 'then', 'else']),
  ...named(someSchemas, ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
  ...named(schemasByName, ['properties', 'patternProperties', 'dependentSchemas']),
  ...named(schemasByName, ['$defs', 'definitions']),
]);

function named(shape: Shape, keywords: string[]): [string, Shape][] {
  return keywords.map((keyword) => [keyword, shape]);
}

/** All faults of a params schema; pointers lead into the schema. */
export function schemaFaults(schema: unknown): SchemaFault[] {
  if (tooDeep(schema)) return [{ pointer: '', message: 'is nested too deeply' }];
  if (!isObject(schema)) return [{ pointer: '', message: 'must be an object' }];
  const own = 'type' in schema && schema.type !== 'object';
  const faults = own ? [{ pointer: '/type', message: 'must be object' }] : [];
  return [...faults, ...faultsAt(schema, '')];
}

function faultsAt(schema: unknown, pointer: string): SchemaFault[] {
  if (typeof schema === 'boolean') return [];
  if (!isObject(schema)) return [{ pointer, message: `must be ${aSchema.words}` }];
  return Object.entries(schema).flatMap(([keyword, setting]) =>
    keyword.startsWith('x-') ? [] : keywordFaults(keyword, setting, pointerTo(pointer, keyword)),
  );
}

function keywordFaults(keyword: string, setting: unknown, pointer: string): SchemaFault[] {
  const shape = shapes.get(keyword);
  if (!shape) return [{ pointer, message: 'is not supported' }];
  if (!shape.holds(setting)) return [{ pointer, message: `must be ${shape.words}` }];

  if (keyword === 'pattern') return patternFaults(setting, pointer);
  if (shape === aSchema) return faultsAt(setting, pointer);
  if (shape !== someSchemas && shape !== schemasByName) return [];
  return Object.entries(Object(setting)).flatMap(([name, part]) => [
    ...(keyword === 'patternProperties' ? patternFaults(name, pointerTo(pointer, name)) : []),
    ...faultsAt(part, pointerTo(pointer, name)),
  ]);
}

function patternFaults(source: unknown, pointer: string): SchemaFault[] {
  const pattern = compilePattern(String(source));
  return 'fault' in pattern ? [{ pointer, message: pattern.fault }] : [];
}
