/** The beginning of a run: its counters, and the node runs that can start at once. */
import type { RunRow } from '../records.ts';
import { advance, touchRoots } from './advance.ts';
import type { Asking } from './asking.ts';
import type { Plan } from './plan.ts';
import { type Counters, newState, type RunState } from './state.ts';

const nothingYet = {
  begun: 0,
  running: 0,
  success: 0,
  failure: 0,
  cancelled: 0,
  skipped_by_condition: 0,
  skipped_upstream: 0,
  reused: 0,
};

/**
 * The initial state of a run. An input of the graph has one lane per file; the lanes of a fan-out
 * become known later.
 *
 * @param lanes how many files each input has.
 */
export function beginningState(
  run: RunRow,
  plan: Plan,
  lanes: ReadonlyMap<string, number>,
  now: string,
): RunState {
  const counts = plan.nodes.map(({ domain }): Counters => {
    const expected =
      domain === null ? 1 : domain.kind === 'input' ? (lanes.get(domain.input) ?? 0) : null;
    return { ...nothingYet, expected };
  });
  const state = newState(run, plan, now, {
    counts,
    firstIds: plan.nodes.map(() => 0),
    loaded: 'all',
  });
  state.changes.run = true;
  return state;
}

/** Assigns ids to the node runs already known, and decides which can start. */
export function* begin(state: RunState): Asking<void> {
  const { counts, firstIds } = state;
  for (const [position, { expected }] of counts.entries()) {
    if (!expected) continue;
    yield { of: 'ids', count: expected };
    firstIds[position] = state.firstReserved;
  }
  touchRoots(state);
  yield* advance(state);
}
