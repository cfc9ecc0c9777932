/** What the settings of a node are drawn from. */

import { setNodeField } from '@cogworks/graph/edit/edits';
import { edgeRoles, laneDomains } from '@cogworks/graph/lanes';
import type { Definition, Definitions, Graph, GraphNode } from '@cogworks/graph/types';
import { useMemo } from 'react';
import { useEditorState } from '../editor.ts';
import { isHint, withoutHints } from '../faults/check.ts';
import { faultCounts, faultsAt } from '../faults/places.ts';
import { titlesOf } from '../step-words.ts';
import { unmoved } from '../unmoved.ts';

export type NodeProps = { node: GraphNode; graph: Graph; definition: Definition | undefined };

const pick = unmoved();

/** The graph, but for positions: settings show none, and a step may be moved once a frame. */
export const useGraph = () => useEditorState((state) => pick(state.graph));
export const useDefinitions = () => useEditorState((state) => state.definitions);
export const useIsReadOnly = () => useEditorState((state) => state.isReadOnly);

/** What is wrong with it, by the pointers of its fields; hints are told apart. */
export function useFaultsAt(id: string): ReadonlyMap<string, string> {
  const faults = useEditorState((state) => state.faults);
  const graph = useGraph();
  return useMemo(() => faultsAt(withoutHints(faults), graph, id), [faults, graph, id]);
}

/** The hints about it; empty if there are none. */
export function useHintsAt(id: string): string {
  const faults = useEditorState((state) => state.faults);
  const graph = useGraph();
  return useMemo(
    () => [...faultsAt(faults.filter(isHint), graph, id).values()].join(' '),
    [faults, graph, id],
  );
}

/** How many faults it has; hints do not count. */
export function useFaultCount(id: string): number {
  const faults = useEditorState((state) => state.faults);
  const graph = useGraph();
  return useMemo(() => faultCounts(faults, graph).get(id) ?? 0, [faults, graph, id]);
}

export const useTitles = (graph: Graph) => useMemo(() => titlesOf(graph), [graph]);

type Lanes = { domains: ReturnType<typeof laneDomains>; roles: ReturnType<typeof edgeRoles> };

/** Several parts of the settings ask for them, after each letter. */
const lanesOf = new WeakMap<Graph, Lanes & { definitions: Definitions }>();

export function useLanes(graph: Graph, definitions: Definitions): Lanes {
  const known = lanesOf.get(graph);
  if (known?.definitions === definitions) return known;
  const lanes = {
    definitions,
    domains: laneDomains(graph, definitions),
    roles: edgeRoles(graph, definitions),
  };
  lanesOf.set(graph, lanes);
  return lanes;
}

/** The files a node would run over one by one, if it did. */
export const useWouldBeDomain = (graph: Graph, definitions: Definitions, { key }: GraphNode) =>
  useMemo(
    () => laneDomains(setNodeField(graph, key, 'map', true), definitions).get(key) ?? null,
    [graph, definitions, key],
  );
