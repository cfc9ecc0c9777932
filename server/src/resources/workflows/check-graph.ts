/** The validator's faults, limited to the size of an answer. Pure. */
import type { Definitions, Fault, Graph } from '@cogworks/graph/types';
import { validateGraph } from '@cogworks/graph/validate';
import { mostFaults, shortenedText } from '../../errors.ts';

export type CheckedGraph = {
  valid: boolean;
  errors: Fault[];
  warnings: Fault[];
  /** How many faults the list leaves out; absent if none. */
  more_errors?: number;
  more_warnings?: number;
};

export function checkGraph(graph: Graph, definitions: Definitions): CheckedGraph {
  const { valid, errors, warnings } = validateGraph(graph, definitions);
  return {
    valid,
    errors: errors.slice(0, mostFaults).map(shortened),
    warnings: warnings.slice(0, mostFaults).map(shortened),
    ...(errors.length > mostFaults ? { more_errors: errors.length - mostFaults } : {}),
    ...(warnings.length > mostFaults ? { more_warnings: warnings.length - mostFaults } : {}),
  };
}

/** Messages quote keys of params and names of ports, which may be as long as the graph. */
function shortened(fault: Fault): Fault {
  const short = { ...fault, message: shortenedText(fault.message) };
  if (fault.pointer !== undefined) short.pointer = shortenedText(fault.pointer);
  if (fault.node_key !== undefined) short.node_key = shortenedText(fault.node_key);
  if (fault.port !== undefined) short.port = shortenedText(fault.port);
  if (fault.path !== undefined) short.path = fault.path.map(shortenedText);
  return short;
}
