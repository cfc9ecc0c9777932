/**
 * OpenAPI document → `sdk/src/contract.gen.ts`: the components as types, each operation's
 * arguments and answer, and a table of how to call it. The client is driven by that table, so
 * this writes data and types, never code.
 */
import { docComment, objectType, type Schema, typeName, typeOf } from './types.ts';

type Content = Record<string, { schema?: Schema }>;
type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};

export type Operation = {
  operationId?: string;
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Content };
  responses?: Record<string, { content?: Content }>;
};

export type OpenApi = {
  components?: { schemas?: Record<string, Schema> };
  paths?: Record<string, Record<string, Operation>>;
};

type Named = { id: string; method: string; path: string; operation: Operation };

const shapeType = `/** How an operation is called: where, with which kind of body, and what comes back. */
export type OperationShape = {
  method: string;
  path: string;
  body: 'none' | 'json' | 'form';
  answer: 'none' | 'json' | 'raw';
};`;

const methods = ['get', 'put', 'post', 'delete', 'patch'];

/** @throws Error if two operations share an id, or one has none. */
export function generate(document: OpenApi): string {
  const operations = operationsOf(document);
  const components = Object.entries(document.components?.schemas ?? {});
  return `${[
    '/** Written by tools/contract.ts from the routes of the server; run `npm run contract`, never edit. */',
    ...components.map(
      ([name, schema]) =>
        `${docComment(schema.description, '')}export type ${typeName(name)} = ${typeOf(schema)};`,
    ),
    `export type Operations = {\n${operations.map(operationType).join('\n')}\n};`,
    shapeType,
    `export const operations: Record<keyof Operations, OperationShape> = {\n${operations.map(operationEntry).join('\n')}\n};`,
  ].join('\n\n')}\n`;
}

function operationsOf({ paths = {} }: OpenApi): Named[] {
  const found = new Map<string, Named>();
  for (const [path, item] of Object.entries(paths)) {
    for (const method of methods) {
      const operation = item[method];
      if (!operation) continue;
      const id = operation.operationId;
      const place = `${method.toUpperCase()} ${path}`;
      if (!id) throw new Error(`${place} has no operationId.`);
      if (found.has(id)) throw new Error(`${place} has the operationId ${id} of another route.`);
      found.set(id, { id, method: method.toUpperCase(), path, operation });
    }
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function operationType({ id, method, path, operation }: Named): string {
  const text = [operation.summary, operation.description].filter(Boolean).join('\n\n');
  const doc = docComment(`${text ? `${text}\n\n` : ''}${method} ${path}`, '  ');
  return `${doc}  ${id}: {\n    args: ${argsType(operation)};\n    answer: ${answerOf(operation).type};\n  };`;
}

/** Path, query and body as one object; a group whose members are all optional is optional itself. */
function argsType(operation: Operation): string {
  const groups: string[] = [];
  for (const [place, group] of [
    ['path', 'path'],
    ['query', 'query'],
  ] as const) {
    const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === place);
    if (parameters.length === 0) continue;
    const schema: Schema = {
      properties: Object.fromEntries(parameters.map((one) => [one.name, described(one)])),
      required: parameters.filter((one) => one.required).map((one) => one.name),
    };
    const isOptional = schema.required?.length === 0;
    groups.push(`      ${group}${isOptional ? '?' : ''}: ${objectType(schema, '      ')};`);
  }
  const body = bodyOf(operation);
  if (body.type) groups.push(`      body${body.isOptional ? '?' : ''}: ${body.type};`);
  return groups.length === 0 ? 'Record<never, never>' : `{\n${groups.join('\n')}\n    }`;
}

const described = ({ schema, description }: Parameter): Schema => ({
  ...schema,
  ...(description === undefined ? {} : { description }),
});

type Body = { kind: 'none' | 'json' | 'form'; type?: string; isOptional?: boolean };

function bodyOf({ requestBody }: Operation): Body {
  const content = requestBody?.content;
  if (!content) return { kind: 'none' };
  if (content['multipart/form-data']) return { kind: 'form', type: 'FormData' };
  const json = content['application/json'];
  if (!json) return { kind: 'none' };
  return {
    kind: 'json',
    type: typeOf(json.schema, '      '),
    isOptional: !requestBody.required,
  };
}

type Answer = { kind: 'none' | 'json' | 'raw'; type: string };

/** The type of successful answers. One that is not JSON is the fetch `Response`, to be streamed. */
function answerOf({ responses = {} }: Operation): Answer {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const types = successes.map(([, { content }]) => {
    const json = content?.['application/json'];
    if (json) return typeOf(json.schema, '    ');
    return content && Object.keys(content).length > 0 ? 'Response' : 'undefined';
  });
  const distinct = [...new Set(types)];
  if (distinct.includes('Response')) return { kind: 'raw', type: 'Response' };
  if (distinct.length === 0) return { kind: 'raw', type: 'Response' };
  if (distinct.every((type) => type === 'undefined')) return { kind: 'none', type: 'undefined' };
  return { kind: 'json', type: distinct.join(' | ') };
}

function operationEntry({ id, method, path, operation }: Named): string {
  const body = bodyOf(operation).kind;
  const answer = answerOf(operation).kind;
  return `  ${id}: { method: '${method}', path: ${quoted(path)}, body: '${body}', answer: '${answer}' },`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
