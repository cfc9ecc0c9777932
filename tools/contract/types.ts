/**
 * JSON Schema → TypeScript, for the keywords that the service uses; anything else becomes
 * `unknown`. Constraints (lengths, patterns) are checked by the server, not by types.
 */

export type Schema = {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema | boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  patternProperties?: Record<string, Schema>;
  default?: unknown;
  format?: string;
  nullable?: boolean;
};

/** The type name of a component. `Error` would hide the language's own. */
export const typeName = (title: string): string =>
  title === 'Error' ? 'ErrorBody' : title.replace(/[^A-Za-z0-9_$]/g, '_').replace(/^(\d)/, '_$1');

/** The type of a value that matches the schema. `indent` is that of the current line. */
export function typeOf(schema: Schema | boolean | undefined, indent = ''): string {
  if (schema === undefined || typeof schema === 'boolean') return 'unknown';
  const type = plainTypeOf(schema, indent);
  return schema.nullable ? union([type, 'null']) : type;
}

function plainTypeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return typeName(schema.$ref.split('/').at(-1) ?? '');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map((choice) => typeOf(choice, indent)));
  if (schema.allOf) {
    return schema.allOf.map((part) => inParentheses(typeOf(part, indent), '|')).join(' & ');
  }
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type) => typeOf({ ...schema, type }, indent)));
  }
  switch (schema.type) {
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `${inParentheses(typeOf(schema.items, indent), '|&')}[]`;
    case 'object':
      return objectType(schema, indent);
    default:
      return schema.properties ? objectType(schema, indent) : 'unknown';
  }
}

/**
 * Optional fields also accept `undefined`, which never reaches JSON or a query string, so that
 * callers can pass on a value that may be missing.
 */
export function objectType(schema: Schema, indent: string): string {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return recordType(schema, indent);

  const inner = `${indent}  `;
  const lines = fields.map(([name, field]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(field, inner);
    const line = isRequired
      ? `${inner}${key}: ${type};`
      : `${inner}${key}?: ${union([type, 'undefined'])};`;
    return docComment(field.description, inner) + line;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function recordType(schema: Schema, indent: string) {
  const values = Object.values(schema.patternProperties ?? {});
  if (typeof schema.additionalProperties === 'object') values.push(schema.additionalProperties);
  if (values.length > 0) {
    return `Record<string, ${union(values.map((value) => typeOf(value, indent)))}>`;
  }
  return schema.additionalProperties === false
    ? 'Record<string, never>'
    : 'Record<string, unknown>';
}

export function docComment(text: string | undefined, indent: string): string {
  if (!text) return '';
  const lines = text.replaceAll('*/', '*\\/').trim().split('\n');
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** Without duplicates; a union with `unknown` is `unknown`, as in the language. */
function union(types: string[]): string {
  const distinct = [...new Set(types)];
  if (distinct.includes('unknown')) return 'unknown';
  return distinct.length === 0 ? 'never' : distinct.join(' | ');
}

/** Whether the type needs parentheses: only an operator outside of braces and quotes does. */
function inParentheses(type: string, operators: string) {
  let depth = 0;
  for (const [part] of type.matchAll(/"(?:[^"\\]|\\.)*"|[{}<>()[\]|&]/g)) {
    if ('{<(['.includes(part)) depth++;
    else if ('}>)]'.includes(part)) depth--;
    else if (depth === 0 && operators.includes(part)) return `(${type})`;
  }
  return type;
}
