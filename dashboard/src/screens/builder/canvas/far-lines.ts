/**
 * Wires as they are seen from afar: all that look the same are one line of many pieces, since a
 * thousand elements that move cost frames. Pure.
 */
import type { FlowEdge, FlowNode } from './flow.ts';
import { endsOf, lineOf } from './ways/kept-ways.ts';

/** Wires that look the same. */
export type FarLine = {
  key: string;
  role: string;
  family: string;
  isLit: boolean;
  isSelected: boolean;
  path: string;
};

type Piece = { edge: FlowEdge; from: FlowNode; to: FlowNode; key: string; path: string };

/** Draws wires, and remembers what it drew of those whose ends stay. */
export class FarLines {
  #pieces = new Map<string, Piece>();

  /** @param moving ids of the cards that are being dragged: their wires are lines of their own. */
  of(
    nodes: readonly FlowNode[],
    edges: readonly FlowEdge[],
    moving: { has(id: string): boolean },
  ): FarLine[] {
    const known = new Map(nodes.map((node) => [node.id, node]));
    const pieces = new Map<string, Piece>();
    const groups = new Map<string, { first: FlowEdge; paths: string[] }>();
    for (const edge of edges) {
      const [from, to] = [known.get(edge.source), known.get(edge.target)];
      if (!from || !to) continue;
      const old = this.#pieces.get(edge.id);
      const isSame = old?.edge === edge && old.from === from && old.to === to;
      const piece = isSame ? old : pieceOf(edge, from, to);
      pieces.set(edge.id, piece);
      const isMoving = moving.has(edge.source) || moving.has(edge.target);
      const key = isMoving ? `moving:${piece.key}` : piece.key;
      const group = groups.get(key);
      if (group) group.paths.push(piece.path);
      else groups.set(key, { first: edge, paths: [piece.path] });
    }
    this.#pieces = pieces;
    return [...groups].map(([key, { first, paths }]) => ({
      key,
      role: first.data?.role ?? 'plain',
      family: first.data?.family ?? 'any',
      isLit: first.data?.isLit ?? false,
      isSelected: first.selected ?? false,
      path: paths.join(''),
    }));
  }
}

function pieceOf(edge: FlowEdge, from: FlowNode, to: FlowNode): Piece {
  const { role, family, isLit } = edge.data ?? {};
  const key = `${role} ${family} ${isLit ? 'lit' : ''} ${edge.selected ? 'selected' : ''}`;
  const ends = endsOf(edge, from, to);
  if (!ends) return { edge, from, to, key, path: '' };
  const { start, end } = ends;
  // From the sides of the boxes: their ports are not drawn.
  const [left, right] = [from.position.x + (from.width ?? 0), to.position.x];
  const path = `M${left} ${start.y}H${start.x}${lineOf(edge.data?.way, start, end)}H${right}`;
  return { edge, from, to, key, path };
}
