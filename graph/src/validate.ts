/**
 * Finds all faults of a graph at once. The API uses it before publishing or running, the builder
 * while drawing, the command line before sending; none has rules of its own. The graph only has to
 * match its JSON shape.
 */
import { commandFaults } from './checks/commands.ts';
import { conditionFaults } from './checks/conditions.ts';
import { cycleFault } from './checks/cycles.ts';
import { edgeFaults } from './checks/edges.ts';
import { nameFaults } from './checks/names.ts';
import { noteFaults, noteWarnings } from './checks/notes.ts';
import { nodeParamFaults } from './checks/params.ts';
import { variableFaults } from './checks/variables.ts';
import { warningsOf } from './checks/warnings.ts';
import { findCycles } from './cycles.ts';
import { resolveLanes } from './lanes.ts';
import { lookUp } from './lookup.ts';
import type { Definitions, Fault, Graph } from './types.ts';

export const maxNodes = 2000;

export type Validation = { valid: boolean; errors: Fault[]; warnings: Fault[] };

export function validateGraph(graph: Graph, definitions: Definitions): Validation {
  if (graph.nodes.length > maxNodes) return invalid([tooManyNodes(graph.nodes.length)]);

  const cycles = findCycles(graph);
  const lookup = lookUp(graph, definitions);
  const errors = [
    ...(graph.nodes.length === 0 ? [noNodes()] : []),
    ...nameFaults(graph, definitions),
    ...variableFaults(graph.variables),
    ...edgeFaults(graph, lookup),
    ...cycles.map(cycleFault),
    ...resolveLanes(graph, definitions).problems,
    ...nodeParamFaults(graph, definitions),
    ...conditionFaults(graph, definitions),
    ...commandFaults(graph, definitions),
    ...noteFaults(graph),
  ];
  const warnings = [...warningsOf(graph, lookup, cycles.length === 0), ...noteWarnings(graph)];
  return { valid: errors.length === 0, errors, warnings };
}

const invalid = (errors: Fault[]): Validation => ({ valid: false, errors, warnings: [] });

const noNodes = (): Fault => ({
  code: 'no_nodes',
  message: 'The graph has no nodes.',
  pointer: '/nodes',
});

const tooManyNodes = (count: number): Fault => ({
  code: 'too_many_nodes',
  message: `The graph has ${count} nodes; at most ${maxNodes} are allowed.`,
  pointer: '/nodes',
});
