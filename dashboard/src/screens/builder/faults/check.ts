/** What the service's validation would find in a graph: the same module, errors before hints. */
import type { Definitions, Fault, FaultCode, Graph } from '@cogworks/graph/types';
import { validateGraph } from '@cogworks/graph/validate';

export function faultsOf(graph: Graph, definitions: Definitions): Fault[] {
  const { errors, warnings } = validateGraph(graph, definitions);
  return [...errors, ...warnings];
}

const hints: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'unused_variable',
  'unused_input',
  'dead_node',
  'no_timeout',
  'note_of_unknown_node',
  'duplicate_note',
]);

/** A hint keeps nothing from being published or run. */
export const isHint = ({ code }: Fault): boolean => hints.has(code);

/** Those that keep it from being published or run. */
export const withoutHints = (faults: readonly Fault[]): Fault[] =>
  faults.filter((fault) => !isHint(fault));
