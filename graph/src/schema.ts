/**
 * Checks values against the JSON Schema of a node's params.
 *
 * Not Ajv: it compiles schemas with `new Function`, which the dashboard's content
 * security policy forbids, compiles for milliseconds where a graph has hundreds
 * of schemas of strangers, runs their patterns with backtracking, and cannot judge
 * a value that is known by its type only, such as `{{vars.width}}` in a graph.
 * What schemas may contain is in schema-shape.ts; the tests compare with Ajv.
 */
import { own, tooDeep } from './json.ts';
import { apply } from './schema-structure.ts';
import type { Check, SchemaFault } from './schema-values.ts';

const maxEffort = 20_000;

export type Budget = { left: number };

/** For all values of one graph together: 2,000 costly ones would take as many times as long. */
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

/** The given params and, for those not given, the defaults of the schema. */
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
