/** The lanes of a graph as they are drawn: which nodes run once per file, over what, in which hue. */
import { type EdgeRole, edgeRoles, laneDomains } from '@cogworks/graph/lanes';
import type { Definitions, Graph } from '@cogworks/graph/types';
import { domainWords, titlesOf } from '../step-words.ts';

/** All lanes over the same files share a letter, and one of the hues of canvas.module.css. */
export type Lane = { letter: string; hue: number; of: string };
export type DrawnLanes = {
  nodes: ReadonlyMap<string, Lane>;
  /** In the order of the graph's edges. */
  roles: readonly EdgeRole[];
};

export const hues = 6;

/** The lanes of every mapped node. */
export function drawnLanes(graph: Graph, definitions: Definitions): DrawnLanes {
  const lanes = new Map<string, Lane>();
  const titles = titlesOf(graph);
  const nodes = new Map<string, Lane>();
  for (const [key, domain] of laneDomains(graph, definitions)) {
    if (!domain) continue;
    const name = JSON.stringify(domain);
    const count = lanes.size;
    const lane = lanes.get(name) ?? {
      letter: String.fromCharCode(65 + (count % 26)),
      hue: count % hues,
      of: domainWords(domain, titles),
    };
    lanes.set(name, lane);
    nodes.set(key, lane);
  }
  return { nodes, roles: edgeRoles(graph, definitions) };
}
