/**
 * Validates requests against their route's schema: all faults at once, unknown fields of a body are
 * refused, and strings are converted to numbers and booleans only in path and query, where HTTP has
 * nothing but text. JSON bodies are not converted: `"5"` is not a number.
 */
import { countValues } from '@cogworks/graph/json';
import { Ajv, type AnySchema, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifyInstance } from 'fastify';
import { type Unstorable, unstorable } from '../storable.ts';
import { formats } from './formats.ts';
import { lazily } from './lazily.ts';

/**
 * Makes the check of one part of a request. Also used on threads, so it needs no server. Its schema
 * is compiled with the first request: for all routes at once that took most of a server's start.
 */
export const compileCheck = checkCompiler();

export function validateRequests(app: FastifyInstance): void {
  app.setValidatorCompiler(compileCheck);
}

function checkCompiler() {
  const options = {
    allErrors: true,
    useDefaults: true,
    strict: false,
    formats,
    removeAdditional: false,
  };
  const exact = addReal(new Ajv(options));
  const quick = addReal(new Ajv({ ...options, allErrors: false }));
  const textual = addReal(new Ajv({ ...options, coerceTypes: 'array' }));
  return ({ schema, httpPart }: { schema: unknown; httpPart?: string }) => {
    const safe = withSafeNumbers(schema) as object;
    if (httpPart === 'body') return checkBody(exact, quick, safe);
    const compiled = lazily(() => textual.compile(safe));
    return checkWith((data) => faultsIn(data, compiled()));
  };
}

/** The number of values of a large graph; for a larger body only the first fault is reported. */
const mostToldInFull = 25_000;

/**
 * A body of four megabytes can hold many faults, and their list is a hundred times as large: a
 * single such request could exhaust the process's memory.
 */
function checkBody(exact: Ajv, quick: Ajv, schema: AnySchema) {
  const all = lazily(() => exact.compile(schema));
  const first = lazily(() => quick.compile(schema));
  return checkWith((body) => {
    const chosen = countValues(body, mostToldInFull) > mostToldInFull ? first : all;
    return faultsIn(body, chosen());
  });
}

const faultsIn = (data: unknown, check: ValidateFunction) =>
  check(data) ? [] : (check.errors ?? []);

/** Adds faults for values that are not storable anywhere in the request. */
function checkWith(faultsOf: (data: unknown) => ErrorObject[]) {
  const check = (data: unknown): boolean => {
    const faults = [...faultsOf(data), ...unstorable(data).map(inFormat)];
    check.errors = faults.length > 0 ? faults : null;
    return faults.length === 0;
  };
  check.errors = null as ErrorObject[] | null;
  return check;
}

/** In the validator's format. */
const inFormat = ({ trail, message }: Unstorable): ErrorObject => ({
  keyword: 'unstorable',
  instancePath: trail
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join(''),
  schemaPath: '#',
  params: {},
  message,
});

/**
 * JSON Schema accepts 1e300 as an integer and 1e-300 as a number; the database's columns do not.
 * The bounds are added here, because they would clutter each schema and the API description.
 */
function withSafeNumbers(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withSafeNumbers);
  if (schema === null || typeof schema !== 'object') return schema;
  const bounded = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withSafeNumbers(value)]),
  );
  if (bounded.type === 'number') return { real: true, ...bounded };
  if (bounded.type !== 'integer') return bounded;
  return { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, ...bounded };
}

/** A number that PostgreSQL's `real` accepts: a smaller one is an error there, not zero. */
function addReal(ajv: Ajv): Ajv {
  return ajv.addKeyword({
    keyword: 'real',
    type: 'number',
    schemaType: 'boolean',
    validate: (_on: boolean, value: number) =>
      value === 0 || (Math.abs(value) >= 1e-37 && Math.abs(value) <= 3e38),
    error: { message: 'must be 0, or between 1e-37 and 3e38 in size' },
  });
}
