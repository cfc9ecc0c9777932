/**
 * How requests are checked against their route's schema: all faults at once, unknown fields of
 * a body refused, and text turned into numbers and booleans only where HTTP has nothing but
 * text (path and query). A JSON body means what it says: `"5"` is no number.
 */
import { Ajv } from 'ajv';
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
  const textual = new Ajv({ ...options, coerceTypes: 'array' });
  app.setValidatorCompiler(({ schema, httpPart }) =>
    (httpPart === 'body' ? exact : textual).compile(withSafeIntegers(schema) as object),
  );
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
