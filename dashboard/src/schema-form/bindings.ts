/** Values of params that come from variables of the workflow. Pure. */
import { isObject, jsonTypeOf } from '@cogworks/graph/json';
import { typesOfVariable } from '@cogworks/graph/params';
import { checkValue } from '@cogworks/graph/schema';
import { UnknownValue } from '@cogworks/graph/schema-values';
import { referencesIn, renderText, soleReference } from '@cogworks/graph/template';
import type { GraphVariable, VariableType } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import type { Suggestions } from '../ui/completion-input.tsx';
import { kindOf, resolved, type Schema, withDefinitions, wordsFor } from './kinds.ts';

/** The variable that is the whole value, by name. */
export function boundTo(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const sole = soleReference(value);
  return sole?.kind === 'vars' ? sole.name : undefined;
}

export const referenceTo = (name: string): string => `{{vars.${name}}}`;

/** The variables whose values may fit a schema, whatever they are in a run. */
export function fittingVariables(
  variables: readonly GraphVariable[],
  schema: Schema,
  root: Schema,
): GraphVariable[] {
  const complete = withDefinitions(schema, root);
  return variables.filter(
    (variable) => checkValue(complete, new UnknownValue(typesOfVariable(variable))).length === 0,
  );
}

const typeWords: Record<VariableType, string> = {
  string: t`text`,
  integer: t`whole number`,
  number: t`number`,
  boolean: t`on or off`,
  enum: t`choice`,
};

/** "whole number, 280 by default". */
export function wordsOfVariable({ type, default: value, required }: GraphVariable): string {
  const kind = typeWords[type];
  if (value !== undefined) return t`${kind}, ${wordsFor(value)} by default`;
  return required ? t`${kind}, asked for in every run` : t`${kind}, empty by default`;
}

/** How `{{` goes on, after the text before the caret. */
export function suggestVariables(
  variables: readonly GraphVariable[],
  before: string,
): Suggestions | null {
  const open = /\{\{\s*(?:vars\.)?([A-Za-z0-9_-]*)$/u.exec(before);
  if (!open) return null;
  const typed = (open[1] ?? '').toLowerCase();
  const named = variables.filter((one) => one.variable_name.toLowerCase().includes(typed));
  return {
    from: open.index,
    options: named.slice(0, 50).map((variable) => ({
      insert: referenceTo(variable.variable_name),
      label: variable.variable_name,
      hint: wordsOfVariable(variable),
    })),
  };
}

/**
 * A text with the defaults of its variables in their places; undefined if it has none, or one that
 * is not declared. `‹name›` stands for what only a run will know.
 */
export function sampleOf(text: string, variables: readonly GraphVariable[]): string | undefined {
  if (referencesIn(text).length === 0) return undefined;
  const vars = Object.fromEntries(
    variables.map((one) => [one.variable_name, one.default ?? `‹${one.variable_name}›`]),
  );
  try {
    return renderText(text, { vars });
  } catch {
    return undefined;
  }
}

/**
 * A variable that takes over the type, limits, description and value of a param; null for values
 * that no variable can hold.
 */
export function variableFor(
  name: string,
  given: Schema,
  value: unknown,
  root: Schema,
): GraphVariable | null {
  const schema = resolved(given, root);
  const type = variableType(schema, root);
  if (type === null) return null;
  const found = kindOf(schema, root);
  const start = isHeld(value) ? value : schema.default;
  const { description, minimum, maximum, pattern } = schema;
  const isNumber = type === 'integer' || type === 'number';
  return {
    variable_name: name,
    type,
    ...(isHeld(start) ? { default: start } : { required: true }),
    ...(typeof description === 'string' ? { description } : {}),
    ...(found.kind === 'choice' ? { enum: found.choices.map((choice) => choice.value) } : {}),
    ...(isNumber && typeof minimum === 'number' ? { minimum } : {}),
    ...(isNumber && typeof maximum === 'number' ? { maximum } : {}),
    ...(type === 'string' && typeof pattern === 'string' ? { pattern } : {}),
  };
}

/** Values that still refer to another variable are not a default. */
const isHeld = (value: unknown): value is string | number | boolean =>
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && referencesIn(value).length === 0);

function variableType(schema: Schema, root: Schema): VariableType | null {
  const found = kindOf(schema, root);
  switch (found.kind) {
    case 'text':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'number':
      return found.isWhole ? 'integer' : 'number';
    case 'choice':
      return found.choices.every(({ value }) => isScalar(value)) ? 'enum' : null;
    default:
      return null;
  }
}

const isScalar = (value: unknown) =>
  ['string', 'integer', 'number', 'boolean'].includes(jsonTypeOf(value));

const keyPatterns = [
  /^(sk|pk|rk)[-_][\w-]{16,}$/,
  /^gh[opsu]_\w{20,}$/,
  /^(AKIA|ASIA)[A-Z0-9]{16}$/,
  /^xox[abprs]-[\w-]{10,}$/,
  /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/,
  /^-----BEGIN [A-Z ]*PRIVATE KEY/,
  /^[a-z][a-z+]*:\/\/[^/\s:@]+:[^/\s@]+@/,
];

/** Whether a text looks like a key or a password: those belong in secrets, not in graphs. */
export const looksLikeKey = (text: string): boolean =>
  keyPatterns.some((pattern) => pattern.test(text.trim()));

/** The value with another one at the end of these steps; lists and members on the way are copied. */
export function withValueAt(value: unknown, steps: readonly string[], next: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return next;
  if (Array.isArray(value)) {
    return value.map((item, at) => (String(at) === step ? withValueAt(item, rest, next) : item));
  }
  const members = Object.entries(isObject(value) ? value : {});
  const at = members.findIndex(([name]) => name === step);
  const inner = withValueAt(members[at]?.[1], rest, next);
  return Object.fromEntries(
    at === -1 ? [...members, [step, inner]] : members.with(at, [step, inner]),
  );
}
