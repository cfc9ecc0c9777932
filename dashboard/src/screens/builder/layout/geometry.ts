/**
 * Sizes of the cards, and where their ports are. The same numbers are in the stylesheets of cards,
 * ports and notes.
 */
import type { Definition, GraphNode } from '@cogworks/graph/types';

export const nodeWidth = 240;
export const inputSize = { width: 168, height: 44 };
const head = 50;
const row = 26;
const foot = 24;
const padding = 8;

/** What lies below the ports: how often it runs, and when. */
export const hasFoot = (node: GraphNode) => node.map === true || Boolean(node.when);

export function nodeSize(node: GraphNode, definition: Definition | undefined) {
  const rows = Math.max(1, definition?.inputs.length ?? 0, definition?.outputs.length ?? 0);
  const height = head + padding + rows * row + (hasFoot(node) ? foot : 0);
  return { width: nodeWidth, height };
}

/** The middle of a port, from the top of its card. */
export const portY = (index: number) => head + padding / 2 + row * index + row / 2;
