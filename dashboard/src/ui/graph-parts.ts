/** A workflow's graph as boxes and lines, including its inputs. */
import { t } from '@lingui/core/macro';
import type { ViewNode } from './graph-view.tsx';

export type GraphShape = {
  nodes: { key: string; title?: string | undefined; map?: boolean | undefined }[];
  edges: {
    from: { input?: string | undefined; node?: string | undefined };
    to: { node: string };
  }[];
  inputs?: { name: string }[] | undefined;
};

export type GraphParts = { nodes: ViewNode[]; edges: { from: string; to: string }[] };

/** An input and a node may have the same name. */
const inputKey = (name: string) => `input:${name}`;

export function graphParts(graph: GraphShape): GraphParts {
  return {
    nodes: [
      ...(graph.inputs ?? []).map(({ name }) => ({
        key: inputKey(name),
        title: name,
        isInput: true,
      })),
      ...graph.nodes.map(({ key, title, map }) => ({
        key,
        title: title || key,
        note: map ? t`for each file` : t`once`,
      })),
    ],
    edges: graph.edges.map(({ from, to }) => ({
      from: from.node ?? inputKey(from.input ?? ''),
      to: to.node,
    })),
  };
}
