/**
 * Gives the wires of the canvas their ways. Those are found again when a card, a port or a wire has
 * come, gone or moved, and a wire whose way stays keeps its object, so that it is not drawn again.
 */
import { curve } from '../curve.ts';
import type { FlowEdge, FlowNode } from '../flow.ts';
import { type Way, type Wired, waysOf } from './ways.ts';

/** The bracket of a gather takes the end of its wire. */
const bracket = 9;

type Seen = { nodes: readonly FlowNode[]; edges: readonly FlowEdge[] };

export class KeptWays {
  #seen: Seen = { nodes: [], edges: [] };
  #ways = new Map<string, Way>();
  #led: { from: readonly FlowEdge[]; ways: Map<string, Way>; edges: FlowEdge[] } | undefined;
  readonly #known = new WeakMap<FlowEdge, FlowEdge>();

  /** @param isAtRest whether no card is being moved; ways wait until then. */
  edges(nodes: readonly FlowNode[], edges: FlowEdge[], isAtRest: boolean): FlowEdge[] {
    const now = { nodes, edges };
    if (isAtRest && !isSamePlace(this.#seen, now)) this.#find(now);
    if (this.#led?.from === edges && this.#led.ways === this.#ways) return this.#led.edges;
    const led = edges.map((edge) => this.#withWay(edge));
    this.#led = { from: edges, ways: this.#ways, edges: led };
    return led;
  }

  #find(now: Seen) {
    this.#seen = now;
    const found = waysOf(boxesOf(now.nodes), wiresOf(now));
    for (const [id, way] of found) {
      const before = this.#ways.get(id);
      if (before && isAt(before, way.start, way.end) && before.path === way.path) {
        found.set(id, before);
      }
    }
    // The same edges as before need not be looked at again by the library.
    const isSame =
      found.size === this.#ways.size && [...found].every(([id, way]) => this.#ways.get(id) === way);
    if (!isSame) this.#ways = found;
  }

  #withWay(edge: FlowEdge): FlowEdge {
    const way = this.#ways.get(edge.id);
    if (!way || !edge.data) return edge;
    const known = this.#known.get(edge);
    if (known?.data?.way === way) return known;
    const led = { ...edge, data: { ...edge.data, way } };
    this.#known.set(edge, led);
    return led;
  }
}

/** Where a wire begins and ends; undefined if it leads to a port that is not there. */
export function endsOf(edge: FlowEdge, from: FlowNode, to: FlowNode) {
  const out = from.handles?.find(({ id }) => id === edge.sourceHandle);
  const into = to.handles?.find(({ id }) => id === edge.targetHandle);
  if (!out || !into) return undefined;
  const start = {
    x: from.position.x + out.x + (out.width ?? 0),
    y: from.position.y + out.y + (out.height ?? 0) / 2,
  };
  const end = {
    x: to.position.x + into.x - endOf(edge.data?.role),
    y: to.position.y + into.y + (into.height ?? 0) / 2,
  };
  return { start, end };
}

/** How far from its port a wire ends. */
export const endOf = (role: string | undefined): number => (role === 'gather' ? bracket : 0);

type Point = { x: number; y: number };

/** The line of a wire without its first point: its way, unless its ends are not where that was found. */
export const lineOf = (way: Way | undefined, start: Point, end: Point): string =>
  way && isAt(way, start, end) ? way.path : curve(start, end);

const isAt = (way: Way, start: Point, end: Point) =>
  isNear(way.start, start) && isNear(way.end, end);
const isNear = (one: Point, other: Point) =>
  Math.abs(one.x - other.x) < 0.5 && Math.abs(one.y - other.y) < 0.5;

const boxesOf = (nodes: readonly FlowNode[]) =>
  nodes
    .filter(({ type }) => type !== 'note')
    .map(({ id, position, width = 0, height = 0 }) => ({ id, ...position, width, height }));

function wiresOf({ nodes, edges }: Seen): Wired[] {
  const known = new Map(nodes.map((node) => [node.id, node]));
  return edges.flatMap((edge) => {
    const [from, to] = [known.get(edge.source), known.get(edge.target)];
    const ends = from && to && endsOf(edge, from, to);
    if (!ends) return [];
    const { id, source, target, sourceHandle } = edge;
    return [{ id, source, target, port: `${source} ${sourceHandle}`, ...ends }];
  });
}

function isSamePlace(before: Seen, now: Seen): boolean {
  return (
    before.nodes.length === now.nodes.length &&
    before.edges.length === now.edges.length &&
    now.nodes.every((node, at) => isSameBox(node, before.nodes[at])) &&
    now.edges.every((edge, at) => isSameWire(edge, before.edges[at]))
  );
}

const isSameBox = (one: FlowNode, other: FlowNode | undefined) =>
  one === other ||
  (other !== undefined &&
    one.id === other.id &&
    one.position.x === other.position.x &&
    one.position.y === other.position.y &&
    one.width === other.width &&
    one.height === other.height &&
    (one.handles?.map(({ id }) => id).join('\n') ?? '') ===
      (other.handles?.map(({ id }) => id).join('\n') ?? ''));

const isSameWire = (one: FlowEdge, other: FlowEdge | undefined) =>
  one === other || (one.id === other?.id && one.data?.role === other?.data?.role);
