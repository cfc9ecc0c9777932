/** The fuzzer's requests: generated from the contract's schemas, with hostile parts. */
import fc, { type Arbitrary } from 'fast-check';
import { type Operation, securityOf } from './routes.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
type Json = any;

export type Described = Pick<Operation, 'id' | 'method' | 'path' | 'security'> & {
  body: Json;
  isForm: boolean;
  query: { name: string; schema: Json }[];
  components: Record<string, Json>;
};

export type Attack = {
  url: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
};

export function describedOperations(document: Json): Described[] {
  return Object.entries(document.paths as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, operation]: [string, Json]) => {
      const content = operation.requestBody?.content ?? {};
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        security: securityOf(operation.security),
        isForm: 'multipart/form-data' in content,
        body: content['application/json']?.schema ?? content['multipart/form-data']?.schema,
        query: (operation.parameters ?? []).filter((one: Json) => one.in === 'query'),
        components: document.components.schemas,
      };
    }),
  );
}

/** These would cost the fuzzer its account or its tenant, or take minutes of argon2. */
const left = new Set(['changePassword', 'changeUser', 'leaveTenant']);
export const isSafe = ({ id }: Described) => !left.has(id);

const hostileText = fc.constantFrom(
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00',
  '\u202egnp.exe',
  '🙂'.repeat(70),
  'é'.normalize('NFD'),
  '../../etc/passwd',
  "'; drop table cogs; --",
  '{{vars.x}}',
  '%00',
  '__proto__',
  'constructor',
  'x'.repeat(300),
  'x'.repeat(70_000),
  '2027-02-30T00:00:00Z',
  '2099-01-01T00:00:00+19:59',
  '-1',
  '1e5',
  'null',
  '\uffff',
  '\u0001',
  'a/b',
  '*',
);

const hostileNumber = fc.constantFrom(
  0,
  -0,
  -1,
  1.5,
  1e-300,
  1e300,
  Number.POSITIVE_INFINITY,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  99999,
);

const hostile: Arbitrary<Json> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom(null, true, [], {}, [[]], [null], { $ref: '#' }, { __proto__: null }),
);

/** A value that matches the schema, as far as the schema specifies it. */
function like(schema: Json, components: Record<string, Json>, depth = 0): Arbitrary<Json> {
  if (depth > 6 || schema === undefined) return fc.constant(null);
  return fitting(schema, components, depth);
}

/** A body with at most one hostile part: with two, the fault of one would hide the other. */
function wounded(schema: Json, components: Record<string, Json>): Arbitrary<Json> {
  return fc
    .tuple(like(schema, components), hostile, fc.nat(), fc.nat(4))
    .map(([body, bad, place, kind]) => (kind === 0 ? body : replaced(body, place, bad)));
}

/** The value with the part at `place`, an index into the whole tree, replaced. */
function replaced(value: Json, place: number, bad: Json): Json {
  const copy = structuredClone(value);
  const holders: [Json, string][] = [];
  const open = [copy];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    for (const key of Object.keys(next)) {
      holders.push([next, key]);
      open.push(next[key]);
    }
  }
  const [holder, key] = holders[place % Math.max(1, holders.length)] ?? [];
  if (holder === undefined || key === undefined) return bad;
  holder[key] = bad;
  return copy;
}

function fitting(schema: Json, components: Record<string, Json>, depth: number): Arbitrary<Json> {
  if (schema.$ref) return fitting(components[schema.$ref.split('/').at(-1)], components, depth);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if ('const' in schema) return fc.constant(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    return fc.oneof(...choices.map((one: Json) => like(one, components, depth + 1)));
  }
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return texts(schema);
    case 'integer':
      return numbers(schema, (min, max) => fc.integer({ min, max }));
    case 'number':
      return numbers(schema, (min, max) => fc.double({ min, max, noNaN: true }));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(like(schema.items ?? {}, components, depth + 1), { maxLength: 4 });
    case 'object':
      return objects(schema, components, depth);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

function texts(schema: Json): Arbitrary<string> {
  if (schema.format === 'date-time') {
    const day = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
    return day.map((date) => date.toISOString());
  }
  if (schema.pattern) return fc.constantFrom(...samplesOf(schema.pattern));
  const { minLength = 0, maxLength = 40 } = schema;
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) });
}

/** Sample texts that match some pattern of the contract, filtered by this one. */
function samplesOf(pattern: string): string[] {
  const words = ['NAME', 'name-1', 'a1', 'image/png', '1', 'x y', 'exit:1', 'timeout'];
  const fitting = words.filter((word) => new RegExp(pattern, 'u').test(word));
  return fitting.length > 0 ? fitting : [`sha256:${'0'.repeat(64)}`];
}

function numbers(
  { minimum = -1000, maximum = 1000 }: Json,
  between: (min: number, max: number) => Arbitrary<number>,
): Arbitrary<number> {
  const [low, high] = [Math.min(minimum, maximum), Math.max(minimum, maximum)];
  return fc.oneof(between(low, Math.min(high, 2 ** 30)), fc.constantFrom(low, high));
}

function objects(schema: Json, components: Record<string, Json>, depth: number): Arbitrary<Json> {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [
      name,
      // Workers may wait 25 s for work; the fuzzer does not.
      name === 'wait_seconds' ? fc.constant(0) : like(property, components, depth + 1),
    ]),
  );
  const requiredKeys = (schema.required ?? []).filter((name: string) => name in fields);
  const known = fc.record(fields, { requiredKeys });
  if (schema.additionalProperties === false) return known;
  const name = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom('a', 'b', 'type', 'x-secret') },
    { weight: 1, arbitrary: hostileText },
  );
  const more = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 });
  return fc.tuple(known, more).map(([a, b]) => ({ ...b, ...a }));
}

const hostileId = fc.constantFrom(
  '0',
  '-1',
  '1.5',
  'abc',
  '%00',
  '%ff',
  '99999999999999999999',
  '9007199254740991',
  '2147483648',
  '1e3',
  'x'.repeat(290),
  '%F0%9F%99%82',
  '..%2f..',
);

const hostileHeader = fc.constantFrom(
  'x',
  '*',
  '"1-1"',
  'W/"x"',
  ',,,',
  'bytes=0-',
  'bytes=-0',
  'bytes=5-1',
  'bytes=0-0,2-3',
  'bytes=99999999999999999999-',
  '1'.repeat(255),
  '1'.repeat(256),
  'sk_x',
  '\u00ff\u00e9',
  '../..',
);

const headers = fc.record(
  {
    'idempotency-key': hostileHeader,
    'if-match': hostileHeader,
    'if-none-match': hostileHeader,
    'if-range': hostileHeader,
    range: hostileHeader,
    'x-api-key': hostileHeader,
    'last-event-id': hostileHeader,
    'accept-encoding': fc.constantFrom('br', 'gzip;q=0', '*', 'identity;q=0', 'x'),
    'user-agent': hostileHeader,
  },
  { requiredKeys: [] },
);

const types = fc.oneof(
  { weight: 20, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', 'text/plain', 'multipart/form-data; boundary=b', 'a', 'a/b;=;'),
  },
);

/** Bytes that are not JSON, or hostile JSON. */
const badBytes = fc.constantFrom<string | Uint8Array<ArrayBuffer>>(
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '1',
  '{"__proto__":1}',
  '{"a":1,"a":2}',
  '['.repeat(5000),
  `${'['.repeat(150)}${']'.repeat(150)}`,
  Uint8Array.of(0x7b, 0xff, 0x7d),
  Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d),
);

/** JSON with values `JSON.stringify` would not write: 1e999. */
const written = (value: unknown) =>
  JSON.stringify(value, (_, one) => (one === Infinity ? '@@inf' : one)).replaceAll(
    '"@@inf"',
    '1e999',
  );

/** @param idFor a valid id for each parameter of the path. */
export function attackOn(
  { method, path, body, isForm, query, components }: Described,
  idFor: (parameter: string) => string,
): Arbitrary<Attack> {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const ids = fc.tuple(
    ...parameters.map((name) =>
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(idFor(name)) },
        { weight: 1, arbitrary: hostileId },
      ),
    ),
  );
  const asked = fc.record(
    Object.fromEntries(
      query.map(({ name, schema }) => [
        name,
        fc.oneof(
          { weight: 4, arbitrary: like(schema, components) },
          { weight: 1, arbitrary: hostile },
        ),
      ]),
    ),
    { requiredKeys: [] },
  );
  const hasBody =
    method !== 'GET' && method !== 'HEAD' && (body !== undefined || method !== 'DELETE');
  const sent = hasBody
    ? payload(body, isForm, components)
    : fc.constant({ body: undefined, type: '' });
  return fc
    .tuple(
      ids,
      asked,
      fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
      sent,
    )
    .map(
      ([values, search, extra, { body: bytes, type }]): Attack => ({
        url: `${filled(path, parameters, values)}${searchOf(search)}`,
        headers: { ...(bytes === undefined ? {} : { 'content-type': type }), ...extra },
        ...(bytes === undefined ? {} : { body: bytes }),
      }),
    );
}

function payload(schema: Json, isForm: boolean, components: Record<string, Json>) {
  if (isForm) return forms();
  const good = wounded(schema ?? {}, components).map(written);
  const bytes = fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: badBytes });
  return fc.record({ body: bytes, type: types });
}

function forms() {
  const field = fc.tuple(
    fc.oneof(fc.constantFrom('parent_id', 'file'), hostileText),
    fc.oneof(fc.constantFrom('1', ''), hostileText),
    fc.option(hostileText, { nil: undefined }),
  );
  return fc.array(field, { maxLength: 4 }).map((fields) => ({
    type: 'multipart/form-data; boundary=b',
    body: `${fields
      .map(([name, value, file]) => {
        const named = file === undefined ? '' : `; filename="${file}"`;
        return `--b\r\ncontent-disposition: form-data; name="${name}"${named}\r\n\r\n${value}\r\n`;
      })
      .join('')}--b--\r\n`,
  }));
}

const filled = (path: string, names: string[], values: string[]) =>
  names.reduce((url, name, at) => url.replace(`{${name}}`, values[at] ?? ''), path);

function searchOf(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).map(([name, value]) => {
    const text = typeof value === 'string' ? value : written(value ?? null);
    return `${name}=${encodeURIComponent(text.slice(0, 2000).toWellFormed())}`;
  });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}
