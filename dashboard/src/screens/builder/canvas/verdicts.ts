/** What each port says to a wire that is being drawn: worked out once, when it begins. */
import {
  portId as graphPort,
  type Verdict,
  verdictsFrom,
  verdictsTo,
} from '@cogworks/graph/edit/ports';
import type { Definitions, EdgeSource, Graph, GraphEdge, PortOfNode } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { idIn, inputId, nodeId } from '../selection.ts';
import { portOf } from '../step-words.ts';
import { inPort, outPort, portIn } from './flow.ts';

/** A port of a card of the canvas. */
export type CardPort = { card: string; handle: string };

export const portKey = ({ card, handle }: CardPort) => `${card}\n${handle}`;

/** The source that wires from this port have; undefined if it is no output. */
export function sourceOf({ card, handle }: CardPort): EdgeSource | undefined {
  const input = idIn('input', card);
  if (input !== undefined) return { input };
  const [node, port] = [idIn('node', card), portIn('out', handle)];
  return node !== undefined && port !== undefined ? { node, port } : undefined;
}

/** The target that wires to this port have; undefined if it is no input of a node. */
export function targetOf({ card, handle }: CardPort): PortOfNode | undefined {
  const [node, port] = [idIn('node', card), portIn('in', handle)];
  return node !== undefined && port !== undefined ? { node, port } : undefined;
}

/** The wire between two ports, whichever of them is the output. */
export function wireBetween(a: CardPort, b: CardPort): GraphEdge | undefined {
  const from = sourceOf(a) ?? sourceOf(b);
  const to = targetOf(b) ?? targetOf(a);
  return from && to ? { from, to } : undefined;
}

/** The verdicts of all ports that a wire from here may lead to, by portKey. */
export function verdictsOfWire(
  graph: Graph,
  definitions: Definitions,
  start: CardPort,
): ReadonlyMap<string, Verdict> {
  const source = sourceOf(start);
  const target = targetOf(start);
  if (source) {
    const verdicts = verdictsFrom(graph, definitions, source);
    return byPort(portsIn(graph, definitions), verdicts);
  }
  if (!target) return new Map();
  return byPort(portsOut(graph, definitions), verdictsTo(graph, definitions, target));
}

type End = { port: CardPort; end: EdgeSource };

function byPort(ends: readonly End[], verdicts: ReadonlyMap<string, Verdict>) {
  return new Map(
    ends.flatMap(({ port, end }) => {
      const verdict = verdicts.get(graphPort(end));
      return verdict ? [[portKey(port), verdict] as const] : [];
    }),
  );
}

const portsIn = (graph: Graph, definitions: Definitions): End[] =>
  graph.nodes.flatMap(({ key, node_definition_id }) =>
    (definitions.get(node_definition_id)?.inputs ?? []).map(({ name }) => ({
      port: { card: nodeId(key), handle: inPort(name) },
      end: { node: key, port: name },
    })),
  );

const portsOut = (graph: Graph, definitions: Definitions): End[] => [
  ...graph.inputs.map(({ name }) => ({
    port: { card: inputId(name), handle: outPort('') },
    end: { input: name },
  })),
  ...graph.nodes.flatMap(({ key, node_definition_id }) =>
    (definitions.get(node_definition_id)?.outputs ?? []).map(({ name }) => ({
      port: { card: nodeId(key), handle: outPort(name) },
      end: { node: key, port: name },
    })),
  ),
];

/** A port in words, as `image of Resize`. */
export function portWords(graph: Graph, { card, handle }: CardPort): string {
  const input = idIn('input', card);
  if (input !== undefined) return t`input ${input}`;
  const key = idIn('node', card);
  const title = graph.nodes.find((node) => node.key === key)?.title || (key ?? '');
  return portOf(title, portIn('in', handle) ?? portIn('out', handle) ?? '');
}
