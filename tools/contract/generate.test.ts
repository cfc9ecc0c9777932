import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generate, type OpenApi } from './generate.ts';
import { type Schema, typeOf } from './types.ts';

describe('typeOf', () => {
  const table: [string, Schema, string][] = [
    ['a reference', { $ref: '#/components/schemas/Cog' }, 'Cog'],
    ['the component Error under another name', { $ref: '#/components/schemas/Error' }, 'ErrorBody'],
    ['an enum', { type: 'string', enum: ['a', 'b'] }, '"a" | "b"'],
    ['a constant', { const: 'ok', type: 'string' }, '"ok"'],
    ['a choice, without doubles', { anyOf: [{ type: 'integer' }, { type: 'number' }] }, 'number'],
    ['several types', { type: ['string', 'null'] }, 'string | null'],
    ['OpenAPI 3.0 nullable', { type: 'string', nullable: true }, 'string | null'],
    [
      'an array of a choice',
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
      '(string | null)[]',
    ],
    [
      'an array of words that hold operators',
      { type: 'array', items: { enum: ['a|b'] } },
      '"a|b"[]',
    ],
    [
      'parts that all hold',
      { allOf: [{ $ref: '#/c/A' }, { anyOf: [{ $ref: '#/c/B' }, { type: 'null' }] }] },
      'A & (B | null)',
    ],
    [
      'a map',
      { type: 'object', patternProperties: { '^.*$': { type: 'number' } } },
      'Record<string, number>',
    ],
    ['an open object', { type: 'object' }, 'Record<string, unknown>'],
    ['what is not known', {}, 'unknown'],
  ];
  for (const [what, schema, type] of table) {
    it(`writes ${what}`, () => assert.equal(typeOf(schema), type));
  }

  it('writes the fields of an object, optional ones so that undefined may be passed', () => {
    const schema: Schema = {
      type: 'object',
      properties: { id: { type: 'integer' }, 'x-y': { type: 'string', description: 'Why.' } },
      required: ['id'],
    };
    assert.equal(
      typeOf(schema),
      '{\n  id: number;\n  /** Why. */\n  "x-y"?: string | undefined;\n}',
    );
  });
});

describe('generate', () => {
  const document: OpenApi = {
    paths: {
      '/cogs/{id}': {
        get: {
          operationId: 'getCog',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          responses: {
            200: { content: { 'application/json': { schema: { type: 'string' } } } },
            404: { content: { 'application/json': { schema: { type: 'number' } } } },
          },
        },
        delete: { operationId: 'deleteCog', responses: { 204: {} } },
      },
      '/cogs/{id}/download': {
        get: { operationId: 'downloadCog', responses: { 200: { content: { '*/*': {} } } } },
      },
      '/cogs/upload-file': {
        post: {
          operationId: 'uploadFile',
          requestBody: { content: { 'multipart/form-data': { schema: { type: 'object' } } } },
        },
      },
    },
  };

  it('tells how to call each operation, in the order of their names', () => {
    const table = generate(document).split('export const operations')[1];
    assert.equal(
      table,
      `: Record<keyof Operations, OperationShape> = {
  deleteCog: { method: 'DELETE', path: '/cogs/{id}', body: 'none', answer: 'none' },
  downloadCog: { method: 'GET', path: '/cogs/{id}/download', body: 'none', answer: 'raw' },
  getCog: { method: 'GET', path: '/cogs/{id}', body: 'none', answer: 'json' },
  uploadFile: { method: 'POST', path: '/cogs/upload-file', body: 'form', answer: 'raw' },
};
`,
    );
  });

  it('takes the answer from the successes alone', () => {
    assert.match(
      generate(document),
      /getCog: \{\n {4}args: \{\n {6}path: \{\n {8}id: number;\n {6}\};\n {4}\};\n {4}answer: string;/,
    );
  });

  it('refuses two operations of one name', () => {
    const get = { operationId: 'same' };
    assert.throws(
      () => generate({ paths: { '/a': { get }, '/b': { get } } }),
      /GET \/b has the operationId same of another route/,
    );
  });

  it('refuses an operation without a name', () => {
    assert.throws(() => generate({ paths: { '/a': { get: {} } } }), /GET \/a has no operationId/);
  });
});
