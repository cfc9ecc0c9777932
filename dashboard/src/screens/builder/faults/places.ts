/** Where a fault is: what is to be selected, and which of its fields. Pure. */
import { edgeId } from '@cogworks/graph/edit/changes';
import type { Fault, Graph } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { variableId } from '../selection.ts';
import { titlesOf } from '../step-words.ts';
import { withoutHints } from './check.ts';

export type Place = {
  /** As in the selection; undefined for the workflow as a whole. */
  id: string | undefined;
  /** A pointer from there, such as `/params/width`. */
  field: string;
};

export type FaultGroup = { id: string | undefined; title: string; faults: Fault[] };

const whole: Place = { id: undefined, field: '' };

export function placeOf({ pointer, node_key, port }: Fault, graph: Graph): Place {
  const [, list = '', at = '', ...rest] = (pointer ?? '').split('/');
  const field = rest.map((step) => `/${step}`).join('');
  const ofNode = (key: string, inside: string): Place => ({ id: `node:${key}`, field: inside });
  // Of a list as a whole, such as that there are no nodes; there may be some by now.
  if (at === '' && node_key === undefined) return whole;
  switch (list) {
    case 'nodes': {
      const key = node_key ?? graph.nodes[Number(at)]?.key;
      if (key === undefined) return whole;
      return ofNode(key, port !== undefined && field === '' ? `/ports/${port}` : field);
    }
    case 'edges': {
      const edge = graph.edges[Number(at)];
      if (!edge) return whole;
      // The settings of a step show its edges.
      const isThere = graph.nodes.some(({ key }) => key === edge.to.node);
      return isThere
        ? ofNode(edge.to.node, `/ports/${edge.to.port}`)
        : { id: `edge:${edgeId(edge)}`, field: '' };
    }
    case 'inputs': {
      const input = graph.inputs[Number(at)];
      return input ? { id: `input:${input.name}`, field } : whole;
    }
    case 'variables': {
      const variable = graph.variables[Number(at)];
      return variable ? { id: variableId(variable.variable_name), field } : whole;
    }
    case 'notes': {
      const note = graph.notes?.[Number(at)];
      return note ? { id: `note:${note.id}`, field } : whole;
    }
    default:
      return node_key === undefined ? whole : ofNode(node_key, '');
  }
}

/** The faults of each node, input and variable together, in the order in which they are found. */
export function groupsOf(faults: readonly Fault[], graph: Graph): FaultGroup[] {
  const titles = titlesOf(graph);
  const groups = new Map<string | undefined, FaultGroup>();
  for (const fault of faults) {
    const { id } = placeOf(fault, graph);
    const group = groups.get(id) ?? { id, title: titleOf(id, titles), faults: [] };
    group.faults.push(fault);
    groups.set(id, group);
  }
  return [...groups.values()];
}

function titleOf(id: string | undefined, titles: ReadonlyMap<string, string>): string {
  const [kind, ...rest] = (id ?? '').split(':');
  const name = rest.join(':');
  switch (kind) {
    case 'node':
      return titles.get(name) ?? name;
    case 'input':
      return t`Input ${name}`;
    case 'variable':
      return t`Variable ${name}`;
    case 'note':
      return t`A note`;
    case 'edge':
      return t`A connection`;
    default:
      return t`The workflow`;
  }
}

/** How many faults each thing has, by its id as in the selection; hints do not count. */
export function faultCounts(faults: readonly Fault[], graph: Graph): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const fault of withoutHints(faults)) {
    const { id } = placeOf(fault, graph);
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** What is wrong with one thing, by the pointers of its fields. */
export function faultsAt(
  faults: readonly Fault[],
  graph: Graph,
  id: string,
): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const fault of faults) {
    const place = placeOf(fault, graph);
    if (place.id !== id) continue;
    const before = words.get(place.field);
    words.set(place.field, before === undefined ? fault.message : `${before} ${fault.message}`);
  }
  return words;
}
