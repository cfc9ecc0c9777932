/**
 * Fan-outs: the lanes of a domain become known when the node that produces their files has ended.
 */
import { openLanes as lanesOf } from '@cogworks/graph/steps';
import type { Asking } from './asking.ts';
import { isSameDomain, type PlannedNode } from './plan.ts';
import { countersOf, idOf, pendingRow, type RunState, skip } from './state.ts';

/**
 * Opens one lane per file for every node of the domain. With no file it adds a single skipped node
 * run, so that the report still shows what was skipped, and why.
 */
export function* openLanes(state: RunState, { domain }: PlannedNode): Asking<void> {
  if (domain?.kind !== 'output') return;
  const source = state.plan.byKey.get(domain.node);
  if (!source) return;
  const counts = countersOf(state, source);
  const hasEnded = lanesOf(counts, 0) !== null;
  if (!hasEnded) return;
  const opened = lanesOf(
    counts,
    counts.success > 0 ? yield* filesOf(state, source, domain.port) : 0,
  );
  if (!opened) return;

  const along = state.plan.nodes.filter((node) => isSameDomain(node.domain, domain));
  for (const member of along) {
    countersOf(state, member).expected = opened.lanes;
    if (opened.lanes > 0) {
      yield { of: 'ids', count: opened.lanes };
      state.firstIds[member.position] = state.firstReserved;
      state.changes.opened = true;
    }
    state.todo.set(member.position, 'all');
  }
  state.changes.run = true;
  const { skip: reason } = opened;
  if (reason === null) return;
  for (const member of along) {
    const { shard_index: _, ...row } = pendingRow(state, member, 0);
    skip(state, member, [{ row, reason }]);
  }
}

/** How many files a node that runs once has produced on a port. */
function* filesOf(state: RunState, source: PlannedNode, port: string): Asking<number> {
  const id = idOf(state, source.position, 0);
  if (!state.outputCounts.has(id)) yield { of: 'outputs', ids: [id] };
  return state.outputCounts.get(id)?.get(port) ?? 0;
}
