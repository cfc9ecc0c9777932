/**
 * How requests are checked against their route's schema: all faults at once, unknown fields of
 * a body refused, and text turned into numbers and booleans only where HTTP has nothing but
 * text (path and query). A JSON body means what it says: `"5"` is no number.
 */
import { Ajv, type AnySchema, type ErrorObject } from 'ajv';
import type { FastifyInstance } from 'fastify';

const formats = {
  'date-time': (text: string) =>
    /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)$/.test(text) &&
    !Number.isNaN(Date.parse(text)),
  email: (text: string) => /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text),
  uuid: (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  uri: (text: string) => URL.canParse(text),
  binary: true,
  byte: true,
} as const;

export function validateRequests(app: FastifyInstance): void {
  const options = {
    allErrors: true,
    useDefaults: true,
    strict: false,
    formats,
    removeAdditional: false,
  };
  const exact = new Ajv(options);
  const quick = new Ajv({ ...options, allErrors: false });
  const textual = new Ajv({ ...options, coerceTypes: 'array' });
  app.setValidatorCompiler(({ schema, httpPart }) => {
    const safe = withSafeIntegers(schema) as object;
    return httpPart === 'body' ? checkBody(exact, quick, safe) : textual.compile(safe);
  });
}

/** As many values as a large graph has; a body of more is told its first fault alone. */
const mostValues = 25_000;

/** Nothing we store is nested like this; what walks it further on would run out of stack. */
const mostLevels = 200;

/**
 * A body of four megabytes holds a million faults, and their list is a hundred times as large as
 * the body: one request of that kind would take the whole process down.
 */
function checkBody(exact: Ajv, quick: Ajv, schema: AnySchema) {
  const all = exact.compile(schema);
  const first = quick.compile(schema);
  const check = (body: unknown): boolean => {
    const { values, levels } = sizeOf(body);
    const chosen = values > mostValues ? first : all;
    const isValid = chosen(body) === true;
    check.errors = chosen.errors ?? null;
    if (isValid && levels > mostLevels) check.errors = [tooDeep];
    return isValid && levels <= mostLevels;
  };
  check.errors = null as ErrorObject[] | null;
  return check;
}

const tooDeep: ErrorObject = {
  keyword: 'depth',
  instancePath: '',
  schemaPath: '#',
  params: {},
  message: `must not be nested more than ${mostLevels} levels deep`,
};

/** How many values a body holds, and how many levels deep. */
function sizeOf(body: unknown) {
  let values = 0;
  let levels = 0;
  for (let level = [body]; level.length > 0; levels += 1) {
    const below: unknown[] = [];
    for (const value of level) {
      if (value === null || typeof value !== 'object') continue;
      for (const key in value) below.push((value as Record<string, unknown>)[key]);
    }
    values += below.length;
    level = below;
  }
  return { values, levels };
}

/**
 * JSON calls 1e300 an integer, the database does not. Bounds that hold for every integer would
 * clutter each schema and the description, so they are put in here.
 */
function withSafeIntegers(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withSafeIntegers);
  if (schema === null || typeof schema !== 'object') return schema;
  const bounded = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withSafeIntegers(value)]),
  );
  if (bounded.type !== 'integer') return bounded;
  return { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, ...bounded };
}
