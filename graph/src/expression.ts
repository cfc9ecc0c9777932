/**
 * The language of a node's `when`: comparisons of variables, params and the file of the lane. It
 * has no loops, no patterns and no access beyond its scope. Values are never converted: `1 == "1"`
 * is false, `1 < "2"` is an error.
 *
 *     vars.quality >= 80 && !(file.media_type in ["image/gif", "image/webp"])
 *
 * Syntax trees are built in expression-syntax.ts, types are checked in expression-types.ts.
 */

import type { Expression, Reference } from './expression-syntax.ts';
import { own } from './json.ts';

export type FileScope = { name: string; stem: string; media_type: string; size_bytes: number };

export type ExpressionScope = {
  vars: Readonly<Record<string, unknown>>;
  params: Readonly<Record<string, unknown>>;
  /** Only for nodes that run once per file. */
  file?: FileScope;
};

/** A valid expression that cannot be evaluated for these values. */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
}

export function evaluate(expression: Expression, scope: ExpressionScope): boolean {
  const value = compute(expression, scope);
  if (typeof value !== 'boolean') throw wrongType('The condition', 'true or false', value);
  return value;
}

function compute(expression: Expression, scope: ExpressionScope): unknown {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'reference':
      return lookUp(expression, scope);
    case 'not':
      return !truth(expression.operand, scope);
    case 'and':
      return truth(expression.left, scope) && truth(expression.right, scope);
    case 'or':
      return truth(expression.left, scope) || truth(expression.right, scope);
    case 'in': {
      const value = compute(expression.value, scope);
      return expression.list.some((item) => compute(item, scope) === value);
    }
    case 'compare':
      return compare(expression, scope);
    case 'call':
      return call(expression, scope);
  }
}

function lookUp({ root, name }: Reference, scope: ExpressionScope): unknown {
  const members = scope[root];
  if (members === undefined) throw new ExpressionError('There is no file here.');
  if (!Object.hasOwn(members, name)) throw new ExpressionError(`${root}.${name} is unknown.`);
  return own(members, name) ?? null;
}

function truth(expression: Expression, scope: ExpressionScope): boolean {
  const value = compute(expression, scope);
  if (typeof value !== 'boolean')
    throw wrongType('An operand of !, && or ||', 'true or false', value);
  return value;
}

function compare(
  { operator, left, right }: Extract<Expression, { kind: 'compare' }>,
  scope: ExpressionScope,
): boolean {
  const a = compute(left, scope);
  const b = compute(right, scope);
  if (operator === '==') return a === b;
  if (operator === '!=') return a !== b;

  const comparable =
    (typeof a === 'number' && typeof b === 'number') ||
    (typeof a === 'string' && typeof b === 'string');
  if (!comparable) {
    throw new ExpressionError(`${operator} compares two numbers or two texts, not ${both(a, b)}.`);
  }
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}

function call({ name, args }: Extract<Expression, { kind: 'call' }>, scope: ExpressionScope) {
  const [text, part] = args.map((argument) => compute(argument, scope));
  if (typeof text !== 'string' || typeof part !== 'string') {
    throw new ExpressionError(`${name} takes two texts, not ${both(text, part)}.`);
  }
  if (name === 'startsWith') return text.startsWith(part);
  return name === 'endsWith' ? text.endsWith(part) : text.includes(part);
}

const both = (a: unknown, b: unknown) => `${JSON.stringify(a)} and ${JSON.stringify(b)}`;

function wrongType(what: string, wanted: string, value: unknown): ExpressionError {
  return new ExpressionError(`${what} must be ${wanted}, not ${JSON.stringify(value)}.`);
}

/** Every reference in the expression, with repetitions. */
export function referencesOf(expression: Expression): Reference[] {
  switch (expression.kind) {
    case 'literal':
      return [];
    case 'reference':
      return [expression];
    case 'not':
      return referencesOf(expression.operand);
    case 'in':
      return [expression.value, ...expression.list].flatMap(referencesOf);
    case 'call':
      return expression.args.flatMap(referencesOf);
    default:
      return [expression.left, expression.right].flatMap(referencesOf);
  }
}
