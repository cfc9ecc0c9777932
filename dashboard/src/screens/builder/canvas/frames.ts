/** Notes about nodes are frames around them. Their place follows the nodes. */
import type { Definitions, Graph, GraphNote } from '@cogworks/graph/types';
import type { Placed } from '../../../ui/graph-layout.ts';
import { nodeSize } from '../layout/geometry.ts';
import type { Places } from '../layout/places.ts';

const padding = 20;
const head = 40;

type Around = {
  graph: Graph;
  definitions: Definitions;
  places: Places;
  moved: ReadonlyMap<string, Placed>;
};

/** The frame of a note; undefined if it is about no node that is there. */
export function frameOf(note: GraphNote, { graph, definitions, places, moved }: Around) {
  if (!note.node_keys?.length) return undefined;
  const keys = new Set(note.node_keys);
  const boxes = graph.nodes
    .filter(({ key }) => keys.has(key))
    .map((node) => {
      const at = moved.get(`node:${node.key}`) ?? places.nodes.get(node.key) ?? { x: 0, y: 0 };
      return { ...at, ...nodeSize(node, definitions.get(node.node_definition_id)) };
    });
  if (boxes.length === 0) return undefined;
  const left = Math.min(...boxes.map(({ x }) => x));
  const top = Math.min(...boxes.map(({ y }) => y));
  const right = Math.max(...boxes.map(({ x, width }) => x + width));
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height));
  return {
    x: left - padding,
    y: top - head,
    width: right - left + 2 * padding,
    height: bottom - top + head + padding,
  };
}
