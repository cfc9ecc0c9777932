/** Resolves the variables of a run: checks given values, and fills in defaults. Pure. */
import { paramFaults } from '@cogworks/graph/params';
import { graphBudget } from '@cogworks/graph/schema';
import { renderParams } from '@cogworks/graph/template';
import type { Definition, Graph } from '@cogworks/graph/types';
import { resolveVariables } from '@cogworks/graph/variables';
import { type FieldFault, unprocessableFor } from '../../errors.ts';

/**
 * The variables of a run, each with its value; the resulting params are checked too.
 *
 * @throws DomainError 422 with every fault of either.
 */
export function resolvedVariables(
  { nodes, variables }: Graph,
  definitions: ReadonlyMap<number, Pick<Definition, 'params'>>,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const resolved = resolveVariables(variables, given);
  if ('faults' in resolved) {
    throw unprocessableFor(
      resolved.faults.map(({ variable_name, code, message }) => ({
        loc: ['body', 'extra_variables', variable_name],
        msg: message,
        type: code,
      })),
    );
  }
  const budget = graphBudget();
  const faults = nodes.flatMap(({ key, node_definition_id, params = {} }): FieldFault[] => {
    const definition = definitions.get(node_definition_id);
    if (!definition) return [];
    const used = renderParams(params, resolved.values);
    return paramFaults(definition, used, budget).map(({ pointer, message }) => ({
      loc: ['graph', key, 'params', ...pointer.split('/').slice(1)],
      msg: `The params of ${key}: ${pointer.slice(1)} ${message}.`,
      type: 'bad_param',
    }));
  });
  if (faults.length > 0) throw unprocessableFor(faults);
  return resolved.values;
}
