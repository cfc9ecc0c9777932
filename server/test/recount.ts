/** Counters of a node, counted anew from its node runs. */
import type { Counters } from '../src/engine/kernel/state.ts';
import type { NodeRunRow } from '../src/engine/records.ts';

/** The expected counters for these node runs, all ended; except for how many had begun. */
export function recount(rows: readonly NodeRunRow[]): Omit<Counters, 'begun'> {
  const number = (is: (row: NodeRunRow) => boolean) => rows.filter(is).length;
  const isByCondition = ({ skip_reason: why }: NodeRunRow) =>
    why === 'condition_false' || why === 'upstream_skipped';
  return {
    expected: rows.length,
    running: 0,
    success: number(({ status }) => status === 'success'),
    failure: number(({ status }) => status === 'failure'),
    cancelled: number(({ status }) => status === 'cancelled'),
    skipped_by_condition: number((row) => row.status === 'skipped' && isByCondition(row)),
    skipped_upstream: number((row) => row.status === 'skipped' && !isByCondition(row)),
    reused: number((row) => row.status === 'success' && row.reused_from_node_run_id !== undefined),
  };
}
