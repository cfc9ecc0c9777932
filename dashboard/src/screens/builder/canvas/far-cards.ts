/**
 * Cards as they are seen from afar: all that look the same are one shape. Of the library's own
 * elements only those are made that are needed, since a thousand of them cost frames. Pure.
 */
import type { FlowNode } from './flow.ts';

/** Cards that look the same. */
export type FarCards = {
  key: string;
  isSource: boolean;
  isFaulty: boolean;
  isSelected: boolean;
  path: string;
};

const outlines = new WeakMap<FlowNode, string>();

function outlineOf(node: FlowNode): string {
  const { position, width = 0, height = 0 } = node;
  const known = outlines.get(node);
  const path = known ?? `M${position.x} ${position.y}h${width}v${height}h${-width}z`;
  if (known === undefined) outlines.set(node, path);
  return path;
}

/** @param moving ids of the cards that are being dragged: they are shapes of their own. */
export function farCards(
  nodes: readonly FlowNode[],
  moving: { has(id: string): boolean },
): FarCards[] {
  const groups = new Map<string, Omit<FarCards, 'path'> & { paths: string[] }>();
  for (const node of nodes) {
    if (node.type === 'note') continue;
    const isSource = node.type === 'source';
    const isFaulty = node.type === 'card' && node.data.faults > 0;
    const isSelected = node.selected ?? false;
    const key = [isSource, isFaulty, isSelected, moving.has(node.id)].join(' ');
    const group = groups.get(key) ?? { key, isSource, isFaulty, isSelected, paths: [] };
    groups.set(key, group);
    group.paths.push(outlineOf(node));
  }
  return [...groups.values()].map(({ paths, ...look }) => ({ ...look, path: paths.join('') }));
}

const hidden = new WeakMap<FlowNode, FlowNode>();

/** The same nodes, of which the library makes no elements but for notes and this one. */
export const withoutElements = (nodes: readonly FlowNode[], but: string | undefined): FlowNode[] =>
  nodes.map((node) => {
    if (node.type === 'note' || node.id === but) return node;
    const one = hidden.get(node) ?? { ...node, hidden: true };
    hidden.set(node, one);
    return one;
  });

/** The card at a place of the canvas; of several the one on top. */
export const cardAt = (nodes: readonly FlowNode[], x: number, y: number): string | undefined =>
  nodes.findLast(
    ({ type, position, width = 0, height = 0 }) =>
      type !== 'note' &&
      x >= position.x &&
      y >= position.y &&
      x <= position.x + width &&
      y <= position.y + height,
  )?.id;
