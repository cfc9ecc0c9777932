/** Parses a `when` into its tree, by recursive descent; see expression.ts. */
const maxLength = 1000;
const maxNesting = 50;

export const fileMembers = ['name', 'stem', 'media_type', 'size_bytes'] as const;
const functions = ['startsWith', 'endsWith', 'contains'] as const;
const roots = ['vars', 'params', 'file'] as const;

export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=';
export type Reference = {
  kind: 'reference';
  root: (typeof roots)[number];
  name: string;
  column: number;
};

export type Expression =
  | { kind: 'literal'; value: string | number | boolean | null }
  | Reference
  | { kind: 'not'; operand: Expression }
  | { kind: 'and' | 'or'; left: Expression; right: Expression }
  | { kind: 'compare'; operator: Operator; left: Expression; right: Expression; column: number }
  | { kind: 'in'; value: Expression; list: Expression[] }
  | { kind: 'call'; name: (typeof functions)[number]; args: Expression[]; column: number };

/** Columns count from 1, in UTF-16 code units, as in editors. */
export type ExpressionFault = { message: string; column: number };

type Token = { text: string; column: number };
type Reader = { tokens: Token[]; at: number; nesting: number };

class SyntaxFault extends Error {
  readonly column: number;
  constructor(message: string, column: number) {
    super(message);
    this.column = column;
  }
}

export function parseExpression(text: string): { ast: Expression } | { fault: ExpressionFault } {
  try {
    const reader: Reader = { tokens: tokensOf(text), at: 0, nesting: 0 };
    const ast = readOr(reader);
    const rest = peek(reader);
    if (rest.text !== '') throw unexpected(rest);
    return { ast };
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    return { fault: { message: error.message, column: error.column } };
  }
}

const token =
  /\s*(?:([A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_-]*)*|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[=!<>]=|&&|\|\||[<>!()[\],]))/uy;

function tokensOf(text: string): Token[] {
  if (text.length > maxLength) {
    throw new SyntaxFault(`The condition has more than ${maxLength} characters.`, maxLength + 1);
  }
  const end = text.trimEnd().length;
  const tokens: Token[] = [];
  token.lastIndex = 0;
  for (let at = 0; at < end; at = token.lastIndex) {
    const found = token.exec(text)?.[1];
    if (found === undefined) throw unreadable(text, at);
    tokens.push({ text: found, column: token.lastIndex - found.length + 1 });
  }
  return [...tokens, { text: '', column: text.length + 1 }];
}

function unreadable(text: string, at: number): SyntaxFault {
  const start = at + (text.slice(at).length - text.slice(at).trimStart().length);
  const sign = text.charAt(start);
  if (sign === '"' || sign === "'") return new SyntaxFault('The text is not closed.', start + 1);
  if (sign === '=') return new SyntaxFault('Use == to compare.', start + 1);
  return new SyntaxFault(`${sign} has no meaning here.`, start + 1);
}

function readOr(reader: Reader): Expression {
  let left = readAnd(reader);
  while (take(reader, '||')) left = { kind: 'or', left, right: readAnd(reader) };
  return left;
}

function readAnd(reader: Reader): Expression {
  let left = readComparison(reader);
  while (take(reader, '&&')) left = { kind: 'and', left, right: readComparison(reader) };
  return left;
}

/** Comparisons do not chain: the meaning of `1 < x < 3` differs between languages. */
function readComparison(reader: Reader): Expression {
  const left = readUnary(reader);
  if (take(reader, 'in')) {
    expect(reader, '[');
    return { kind: 'in', value: left, list: readList(reader, ']') };
  }
  const { text, column } = peek(reader);
  if (!isOperator(text)) return left;
  reader.at++;
  return { kind: 'compare', operator: text, left, right: readUnary(reader), column };
}

function isOperator(text: string): text is Operator {
  return /^(?:[=!<>]=|[<>])$/u.test(text);
}

function readUnary(reader: Reader): Expression {
  const { column } = peek(reader);
  if (++reader.nesting > maxNesting) {
    throw new SyntaxFault('The condition is nested too deeply.', column);
  }
  const expression: Expression = take(reader, '!')
    ? { kind: 'not', operand: readUnary(reader) }
    : readPrimary(reader);
  reader.nesting--;
  return expression;
}

function readPrimary(reader: Reader): Expression {
  if (take(reader, '(')) {
    const inner = readOr(reader);
    expect(reader, ')');
    return inner;
  }

  const next = peek(reader);
  const { text, column } = next;
  if (!/^[\w"'-]/u.test(text) || text === 'in') throw unexpected(next);
  reader.at++;
  if (/^["']/u.test(text)) return { kind: 'literal', value: unquote(text) };
  if (/^[-\d]/u.test(text)) return { kind: 'literal', value: Number(text) };
  if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true' };
  if (text === 'null') return { kind: 'literal', value: null };

  const name = functions.find((known) => known === text);
  return name ? readCall(reader, name, column) : readReference(text, column);
}

function readCall(reader: Reader, name: (typeof functions)[number], column: number): Expression {
  expect(reader, '(');
  const args = readList(reader, ')');
  if (args.length !== 2) throw new SyntaxFault(`${name} takes two arguments.`, column);
  return { kind: 'call', name, args, column };
}

function readReference(text: string, column: number): Reference {
  const [first, name, ...rest] = text.split('.');
  const root = roots.find((known) => known === first);
  if (!root) throw new SyntaxFault(`${text} is unknown; did you mean vars.${text}?`, column);
  if (!name || rest.length > 0) throw new SyntaxFault(`${root} is followed by one name.`, column);
  if (root === 'file' && !fileMembers.some((member) => member === name)) {
    throw new SyntaxFault(`A file has ${fileMembers.join(', ')}, but no ${name}.`, column);
  }
  return { kind: 'reference', root, name, column };
}

function readList(reader: Reader, end: string): Expression[] {
  const items: Expression[] = [];
  if (take(reader, end)) return items;
  do items.push(readOr(reader));
  while (take(reader, ','));
  expect(reader, end);
  return items;
}

const escapes = new Map([
  ['n', '\n'],
  ['t', '\t'],
]);

function unquote(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/gu, (_, sign: string) => escapes.get(sign) ?? sign);
}

function peek(reader: Reader): Token {
  return reader.tokens[reader.at] ?? { text: '', column: 1 };
}

function take(reader: Reader, text: string): boolean {
  if (peek(reader).text !== text) return false;
  reader.at++;
  return true;
}

function expect(reader: Reader, text: string) {
  if (!take(reader, text)) throw unexpected(peek(reader), text);
}

function unexpected({ text, column }: Token, wanted?: string): SyntaxFault {
  const found = text === '' ? 'The condition ends too early' : `${text} is not expected here`;
  return new SyntaxFault(`${found}${wanted ? `; ${wanted} is missing` : ''}.`, column);
}
