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
    (httpPart === 'body' ? exact : textual).compile(schema as object),
  );
}
