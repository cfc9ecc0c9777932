/**
 * Where everything stands on the canvas. Nodes keep the positions that the graph has; one without a
 * position stands where a layout puts it. Inputs have none in the graph: they stand left of the rest,
 * near what they lead to.
 */
import type { Definitions, Graph } from '@cogworks/graph/types';
import { type Placed, placeNodes } from '../../../ui/graph-layout.ts';
import { inputSize, nodeSize, portY } from './geometry.ts';

export type Places = { nodes: ReadonlyMap<string, Placed>; inputs: ReadonlyMap<string, Placed> };

/** Wide enough for the words at a gather. */
const gap = { x: 112, y: 24 };
const inputKey = (name: string) => `input:${name}`;
const nodeKey = (key: string) => `node:${key}`;

/** Positions of all nodes and inputs. */
export function placesOf(graph: Graph, definitions: Definitions): Places {
  const known = graph.nodes.filter(({ position }) => position);
  if (known.length === graph.nodes.length && known.length > 0) {
    const nodes = new Map(graph.nodes.map(({ key, position = { x: 0, y: 0 } }) => [key, position]));
    return { nodes, inputs: placesOfInputs(graph, nodes, definitions) };
  }
  const layout = tidied(graph, definitions);
  if (known.length === 0) return layout;
  const bottom = Math.max(
    ...known.map(
      (node) =>
        (node.position?.y ?? 0) + nodeSize(node, definitions.get(node.node_definition_id)).height,
    ),
  );
  const lowest = known.reduce((least, node) => Math.min(least, node.position?.x ?? 0), 0);
  const nodes = new Map(
    graph.nodes.map(({ key, position }) => {
      const { x, y } = layout.nodes.get(key) ?? { x: 0, y: 0 };
      return [key, position ?? { x: lowest + x, y: bottom + 2 * gap.y + y }];
    }),
  );
  return { nodes, inputs: placesOfInputs(graph, nodes, definitions) };
}

/** For what a test shows below each card. */
const withRoom = ({ width, height }: { width: number; height: number }) => ({
  width,
  height: height + 24,
});

/** Positions by an automatic layout, for nodes and inputs alike. */
export function tidied(graph: Graph, definitions: Definitions): Places {
  const byKey = new Map(graph.nodes.map((node) => [node.key, node]));
  const boxes = [
    ...graph.inputs.map(({ name }) => ({ key: inputKey(name), ...inputSize })),
    ...graph.nodes.map((node) => ({
      key: nodeKey(node.key),
      ...withRoom(nodeSize(node, definitions.get(node.node_definition_id))),
    })),
  ];
  const definitionOf = (key: string) => {
    const node = byKey.get(key);
    return node && definitions.get(node.node_definition_id);
  };
  const indexOf = (ports: readonly { name: string }[] | undefined, name: string) =>
    Math.max(0, ports?.findIndex((port) => port.name === name) ?? 0);
  const lines = graph.edges.map(({ from, to }) => ({
    from: 'node' in from ? nodeKey(from.node) : inputKey(from.input),
    to: nodeKey(to.node),
    leaves:
      'node' in from
        ? portY(indexOf(definitionOf(from.node)?.outputs, from.port))
        : inputSize.height / 2,
    arrives: portY(indexOf(definitionOf(to.node)?.inputs, to.port)),
  }));
  const at = placeNodes(boxes, lines, gap.x);
  const whole = ({ x, y }: Placed) => ({ x: Math.round(x), y: Math.round(y) });
  const of = (key: string) => whole(at.get(key) ?? { x: 0, y: 0 });
  return {
    nodes: new Map(graph.nodes.map(({ key }) => [key, of(nodeKey(key))])),
    inputs: new Map(graph.inputs.map(({ name }) => [name, of(inputKey(name))])),
  };
}

/** In one column left of all nodes, each as near as it can be to the first node that it leads to. */
function placesOfInputs(
  graph: Graph,
  nodes: ReadonlyMap<string, Placed>,
  definitions: Definitions,
): ReadonlyMap<string, Placed> {
  const byKey = new Map(graph.nodes.map((node) => [node.key, node]));
  const left = [...nodes.values()].reduce((least, { x }) => Math.min(least, x), Infinity);
  const x = (Number.isFinite(left) ? left : inputSize.width + gap.x) - gap.x - inputSize.width;
  const wishes = graph.inputs.map(({ name }, index) => {
    const ends = graph.edges.filter(({ from }) => 'input' in from && from.input === name);
    const heights = ends.flatMap(({ to }) => {
      const node = byKey.get(to.node);
      const definition = node && definitions.get(node.node_definition_id);
      const port = definition?.inputs.findIndex((one) => one.name === to.port) ?? 0;
      const at = nodes.get(to.node);
      return at ? [at.y + portY(Math.max(0, port))] : [];
    });
    const wish = heights.length > 0 ? Math.min(...heights) - inputSize.height / 2 : index * 60;
    return { name, wish };
  });
  const places = new Map<string, Placed>();
  let free = Number.NEGATIVE_INFINITY;
  for (const { name, wish } of wishes.toSorted((a, b) => a.wish - b.wish)) {
    const y = Math.max(wish, free);
    places.set(name, { x, y });
    free = y + inputSize.height + gap.y / 2;
  }
  return places;
}
