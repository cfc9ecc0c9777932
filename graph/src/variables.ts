/** The variables of a run: the given values, checked against the version's declarations. */
import { compilePattern } from './pattern.ts';
import type { GraphVariable, VariableValue } from './types.ts';

export type VariableFault = {
  variable_name: string;
  code:
    | 'unknown_variable'
    | 'missing_variable'
    | 'wrong_type'
    | 'not_in_enum'
    | 'too_small'
    | 'too_large'
    | 'too_long'
    | 'pattern_mismatch'
    | 'too_costly';
  message: string;
};

const longestValue = 65_536;
/** Matching a long text takes a while, even in linear time; see pattern.ts. */
const longestMatched = 10_000;

export type Steps = { left: number };

/** Shared by all patterns of one graph or run: some tenths of a second. */
export const matchingSteps = (): Steps => ({ left: 20_000_000 });

/**
 * All faults at once, or a value for every declared variable: the given one, else the default, else
 * null, so that every reference has a value.
 */
export function resolveVariables(
  declared: readonly GraphVariable[],
  given: Readonly<Record<string, unknown>>,
): { values: Record<string, VariableValue | null> } | { faults: VariableFault[] } {
  const names = declared.map(({ variable_name }) => variable_name);
  const known = new Set(names);
  const guess = guesser(names);
  const steps = matchingSteps();
  const values = new Map<string, VariableValue | null>();
  const faults = Object.keys(given)
    .filter((name) => !known.has(name))
    .map((name) => unknownVariable(name, guess(name)));

  for (const variable of declared) {
    const name = variable.variable_name;
    const value = Object.hasOwn(given, name) ? given[name] : variable.default;
    if (value === undefined) {
      values.set(name, null);
      if (variable.required) {
        faults.push({
          variable_name: name,
          code: 'missing_variable',
          message: 'A value is required.',
        });
      }
    } else {
      const fault = valueFault(variable, value, steps);
      if (fault) faults.push(fault);
      else values.set(name, value as VariableValue);
    }
  }
  return faults.length > 0 ? { faults } : { values: Object.fromEntries(values) };
}

function unknownVariable(name: string, near: string | null): VariableFault {
  const hint = near === null ? '' : `, did you mean ${near}?`;
  return {
    variable_name: name,
    code: 'unknown_variable',
    message: `Unknown variable${hint || '.'}`,
  };
}

/**
 * The fault of a value for a variable; null if there is none.
 *
 * @param steps the remaining budget for matching, shared by the values of a request.
 */
export function valueFault(
  variable: GraphVariable,
  value: unknown,
  steps: Steps = matchingSteps(),
): VariableFault | null {
  const fault = (code: VariableFault['code'], message: string): VariableFault => ({
    variable_name: variable.variable_name,
    code,
    message,
  });

  if (!isOfType(variable, value)) return fault('wrong_type', `Must be ${wordsFor(variable.type)}.`);
  if (variable.enum && !variable.enum.includes(value)) {
    return fault('not_in_enum', `Must be one of ${variable.enum.map(quote).join(', ')}.`);
  }
  if (typeof value === 'number') {
    const { minimum, maximum } = variable;
    if (typeof minimum === 'number' && value < minimum) {
      return fault('too_small', `Must be at least ${minimum}.`);
    }
    if (typeof maximum === 'number' && value > maximum) {
      return fault('too_large', `Must be at most ${maximum}.`);
    }
  }
  if (typeof value !== 'string') return null;

  const longest = variable.pattern === undefined ? longestValue : longestMatched;
  if (value.length > longest) return fault('too_long', `Must have at most ${longest} characters.`);
  if (variable.pattern === undefined) return null;
  const pattern = compilePattern(variable.pattern);
  if ('cost' in pattern) {
    steps.left -= pattern.cost * value.length;
    if (steps.left < 0) return fault('too_costly', 'Is too costly to match with its pattern.');
    if (pattern.matches(value)) return null;
  }
  return fault('pattern_mismatch', `Must match ${variable.pattern}.`);
}

function isOfType({ type }: GraphVariable, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'integer':
      // Integers beyond 2^53 are not exact.
      return Number.isSafeInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'enum':
      return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
    default:
      return false;
  }
}

function wordsFor(type: GraphVariable['type']): string {
  if (type === 'boolean') return 'true or false';
  if (type === 'enum') return 'one of the allowed values';
  return type === 'integer' ? 'a whole number' : type === 'number' ? 'a number' : 'a text';
}

const quote = (value: unknown) => JSON.stringify(value);

const mostGuesses = 10;

/**
 * Suggests the intended name, for the first few unknown ones: each is compared with every name
 * letter by letter, and one request could have ten thousand of them.
 */
export function guesser(names: readonly string[]): (name: string) => string | null {
  let left = mostGuesses;
  return (name) => {
    left -= 1;
    return left < 0 ? null : nearest(name, names);
  };
}

/** The name with the fewest different letters, if the difference is small enough for a typo. */
export function nearest(name: string, names: readonly string[]): string | null {
  let best: string | null = null;
  let fewest = Math.min(3, Math.ceil(name.length / 3)) + 1;
  for (const candidate of names) {
    if (name.length > 100 || Math.abs(candidate.length - name.length) >= fewest) continue;
    const letters = distance(name.toLowerCase(), candidate.toLowerCase());
    if (letters >= fewest) continue;
    fewest = letters;
    best = candidate;
  }
  return best;
}

/** Insertions, deletions and substitutions between two words (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [column, other] of [...to].entries()) {
      const kept = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(kept, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
