/**
 * Checks values against the JSON Schema of a node's params.
 *
 * Ajv is not used: it compiles schemas with `new Function`, which the dashboard's content security
 * policy forbids; compiling takes milliseconds, and a graph may have hundreds of users' schemas; it
 * runs their patterns with backtracking; and it cannot check a value of which only the type is
 * known, such as `{{vars.width}}` in a graph. schema-shape.ts defines the supported schemas; the
 * tests compare with Ajv.
 */
import { own, tooDeep } from './json.ts';
import { apply } from './schema-structure.ts';
import type { Check, SchemaFault } from './schema-values.ts';

const maxEffort = 20_000;

export type Budget = { left: number };

/**
 * For all values of one graph together: otherwise 2,000 costly ones would take 2,000 times as long.
 */
export const graphBudget = (): Budget => ({ left: 1_000_000 });

export function checkValue(
  schema: unknown,
  value: unknown,
  budget: Budget = graphBudget(),
): SchemaFault[] {
  if (tooDeep(value)) return [{ pointer: '', message: 'is nested too deeply' }];

  const most = Math.min(maxEffort, budget.left);
  const effort = { left: most, depth: 0 };
  const check: Check = { root: schema, pointer: '', effort, faults: [] };
  if (most > 0) apply(schema, value, check);
  budget.left -= most - effort.left;
  return effort.left > 0 ? check.faults : [{ pointer: '', message: 'is too costly to check' }];
}

/** The properties of a params schema by name. */
export function declaredParams(schema: unknown): Map<string, unknown> {
  return new Map(Object.entries(own(schema, 'properties') ?? {}));
}

/** The given params, and the schema's defaults for the others. */
export function withDefaults(
  schema: unknown,
  params: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const filled = new Map(Object.entries(params));
  for (const [name, property] of declaredParams(schema)) {
    const fallback = own(property, 'default');
    if (!filled.has(name) && fallback !== undefined) filled.set(name, fallback);
  }
  return Object.fromEntries(filled);
}
