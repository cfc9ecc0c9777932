/** Converts the faults a schema's validator found into those of an answer. */
import { type DomainError, type FieldFault, mostFaults, unprocessableFor } from '../errors.ts';

export type SchemaFault = {
  keyword: string;
  instancePath: string;
  message?: string;
  params: Record<string, unknown>;
};

const typeWords: Record<string, string> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

const formatWords: Record<string, string> = {
  'date-time': 'a date and time with a time zone, such as 2026-03-01T09:30:00Z',
  email: 'an e-mail address',
  uri: 'a URL',
  uuid: 'a UUID',
};

const counted = (count: unknown, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Messages for people. For other keywords the validator's own message is used. */
const words: Record<string, (params: Record<string, unknown>) => string> = {
  required: () => 'This field is required.',
  additionalProperties: () => 'There is no such field.',
  enum: ({ allowedValues }) => `Must be one of: ${(allowedValues as unknown[]).join(', ')}.`,
  const: ({ allowedValue }) => `Must be ${allowedValue}.`,
  type: ({ type }) =>
    `Must be ${[type]
      .flat()
      .map((one) => typeWords[one as string])
      .join(' or ')}.`,
  format: ({ format }) => `Must be ${formatWords[format as string] ?? `of the form ${format}`}.`,
  minimum: ({ limit }) => `Must be at least ${limit}.`,
  maximum: ({ limit }) => `Must be at most ${limit}.`,
  exclusiveMinimum: ({ limit }) => `Must be more than ${limit}.`,
  exclusiveMaximum: ({ limit }) => `Must be less than ${limit}.`,
  minLength: ({ limit }) =>
    limit === 1 ? 'Must not be empty.' : `Must have at least ${counted(limit, 'character')}.`,
  maxLength: ({ limit }) => `Must have at most ${counted(limit, 'character')}.`,
  minItems: ({ limit }) =>
    limit === 1 ? 'Must not be empty.' : `Must have at least ${limit} entries.`,
  maxItems: ({ limit }) => `Must have at most ${limit} entries.`,
  uniqueItems: () => 'Must not have an entry twice.',
  minProperties: () => 'Must have at least one field.',
  pattern: ({ pattern }) => `Must match the pattern ${pattern}.`,
};

/** @param where `body`, `params`, `querystring` or `headers`. */
export function schemaError(where: string, faults: readonly SchemaFault[]): DomainError {
  const told = faults.slice(0, mostFaults).map((fault) => fieldFault(where, fault));
  return unprocessableFor(told, faults.length - told.length);
}

function fieldFault(where: string, fault: SchemaFault): FieldFault {
  const path = fault.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const named = fault.params.missingProperty ?? fault.params.additionalProperty;
  const loc = [where === 'querystring' ? 'query' : where === 'params' ? 'path' : where, ...path];
  if (typeof named === 'string') loc.push(named);
  return { loc, msg: faultMessage(fault), type: fault.keyword };
}

function faultMessage({ keyword, params, message = 'is not valid' }: SchemaFault): string {
  const say = words[keyword];
  return say ? say(params) : `${message[0]?.toUpperCase()}${message.slice(1)}.`;
}
