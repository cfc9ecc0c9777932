/** Edits that an earlier visit has not saved, put on what the service has now. Pure. */
import { applyChanges, changesBetween } from '@cogworks/graph/edit/changes';
import { type Merged, merge } from '@cogworks/graph/edit/merge';
import type { Graph } from '@cogworks/graph/types';
import type { Step } from '../editor.ts';
import type { Base, Kept } from './journal.ts';

type Edits = Pick<Kept, 'graph' | 'etag' | 'steps'>;

/** @returns the kept edits on that state, and as steps that can be undone. */
export function mergeKept({ graph, etag, steps }: Edits, now: Base): Merged & { past: Step[] } {
  const graphs = [graph];
  let edited = graph;
  for (const { changes } of steps) {
    edited = applyChanges(edited, changes);
    graphs.push(edited);
  }
  // An answer may have been lost with the visit: then the service has the first of these steps.
  const isSaved = (one: Graph) => etag !== now.etag && isSame(one, now.graph);
  const base = graphs.findLast(isSaved) ?? graph;
  const past = steps.map(({ words, changes }): Step => ({ words, changes }));
  return { ...merge(base, edited, now.graph), past };
}

export const isSame = (a: Graph, b: Graph): boolean => changesBetween(a, b).length === 0;
