/** Where the arrow keys lead: along the wires, else to the nearest card in that direction. */
import type { Graph, GraphEdge } from '@cogworks/graph/types';
import type { Places } from '../layout/places.ts';
import { inputId, nodeId } from '../selection.ts';

export type Direction = 'left' | 'right' | 'up' | 'down';

/** @returns the id of the next card; undefined if there is none. */
export function nextCard(
  graph: Graph,
  places: Places,
  current: string | undefined,
  direction: Direction,
): string | undefined {
  const at = new Map([
    ...graph.inputs.map(({ name }) => [inputId(name), places.inputs.get(name)] as const),
    ...graph.nodes.map(({ key }) => [nodeId(key), places.nodes.get(key)] as const),
    ...(graph.notes ?? []).map(({ id, position }) => [`note:${id}`, position] as const),
  ]);
  const here = current === undefined ? undefined : at.get(current);
  if (!here || current === undefined) return [...at.keys()][0];
  const along =
    direction === 'left' || direction === 'right' ? wired(graph, current, direction) : [];
  const known = (ids: string[]) =>
    ids.flatMap((id) => {
      const place = at.get(id);
      return place ? [{ id, ...place }] : [];
    });
  const highest = known(along).toSorted((a, b) => Math.abs(a.y - here.y) - Math.abs(b.y - here.y));
  if (highest[0]) return highest[0].id;
  const others = known([...at.keys()].filter((id) => id !== current));
  const isAhead = { left: -1, right: 1, up: -1, down: 1 }[direction];
  const isAcross = direction === 'up' || direction === 'down';
  const ahead = others.flatMap((one) => {
    const [dx, dy] = [one.x - here.x, one.y - here.y];
    const [far, aside] = isAcross ? [dy * isAhead, dx] : [dx * isAhead, dy];
    return far > 0 ? [{ id: one.id, cost: far + 2 * Math.abs(aside) }] : [];
  });
  return ahead.toSorted((a, b) => a.cost - b.cost)[0]?.id;
}

function wired(graph: Graph, current: string, direction: 'left' | 'right'): string[] {
  return graph.edges.flatMap(({ from, to }) => {
    const source = 'node' in from ? nodeId(from.node) : inputId(from.input);
    const target = nodeId(to.node);
    if (direction === 'right') return source === current ? [target] : [];
    return target === current ? [source] : [];
  });
}

/** The ids of all wires before and behind what is selected. */
export function wiresAround(
  edges: readonly GraphEdge[],
  selection: ReadonlySet<string>,
  idOf: (edge: GraphEdge) => string,
) {
  const lit = new Set<string>();
  const walk = (isForth: boolean) => {
    const bySource = Map.groupBy(edges, ({ from, to }) => {
      const source = 'node' in from ? nodeId(from.node) : inputId(from.input);
      return isForth ? source : nodeId(to.node);
    });
    const seen = new Set(selection);
    for (const id of seen) {
      for (const edge of bySource.get(id) ?? []) {
        lit.add(`edge:${idOf(edge)}`);
        const { from, to } = edge;
        const source = 'node' in from ? nodeId(from.node) : inputId(from.input);
        seen.add(isForth ? nodeId(to.node) : source);
      }
    }
  };
  walk(true);
  walk(false);
  return lit;
}
