/** Node runs for which the run's own account can never pay. */
import { inCredits, sliceOf } from '../../credits/prices.ts';
import type { NodeRunRow } from '../records.ts';
import { advance } from './advance.ts';
import { type Asking, rangesOf } from './asking.ts';
import type { PlannedNode } from './plan.ts';
import { countersOf, endRows, isUnderWay, type RunState } from './state.ts';

/** How many are ended at a time, so that other runs need not wait for the end of a long queue. */
const portion = 2000;

/**
 * Ends queued node runs as failures, and goes on from there.
 *
 * @param available thousandths of credits that are left in the run's account.
 */
export function* endUnpaid(
  state: RunState,
  rows: readonly NodeRunRow[],
  available: number,
): Asking<void> {
  fail(state, rows, available);
  yield* advance(state);
}

/**
 * Ends these queued node runs if they cannot be paid for, and with them a portion of the others of the same nodes.
 * The caller goes on from there.
 *
 * @returns how many; 0 once there are none.
 */
export function* endLongUnpaid(
  state: RunState,
  ids: readonly number[],
  available: number,
): Asking<number> {
  const { run, rows } = state;
  if (!isUnderWay(run.status) || run.waiting_ended_as !== undefined) return 0;
  yield { of: 'rows', ids: rangesOf(ids.filter((id) => !rows.has(id))) };
  const known = ids.flatMap((id) => rows.get(id) ?? []);
  const nodes = [...new Set(known.map((row) => nodeOf(state, row)))].filter(
    ({ definition }) => sliceOf(definition.resources) > available,
  );
  const ranges = nodes.map((node) => {
    const first = state.firstIds[node.position] as number;
    return { first, last: first + (countersOf(state, node).expected ?? 0) - 1 };
  });
  // Where one failure aborts the run, the others end by that.
  if (ranges.length > 0 && run.on_failure !== 'abort')
    yield { of: 'queued', ids: ranges, limit: portion };
  const unpaid = [...rows.values()].filter(
    (row) => row.status === 'queued' && priceOf(nodeOf(state, row), row) > available,
  );
  fail(state, unpaid, available);
  return unpaid.length;
}

function fail(state: RunState, rows: readonly NodeRunRow[], available: number) {
  const { changes, now, run } = state;
  const fresh = new Set(changes.ready.map(({ row }) => row.id));
  const ended = new Set(rows.map(({ id }) => id));
  changes.unqueued.push(...[...ended].filter((id) => !fresh.has(id)));
  changes.ready = changes.ready.filter(({ row }) => !ended.has(row.id));
  for (const [node, of] of Map.groupBy(rows, (row) => nodeOf(state, row))) {
    const failed = of.map((row): NodeRunRow => {
      const needed = inCredits(priceOf(node, row));
      return {
        ...row,
        status: 'failure',
        error_class: 'insufficient_credits',
        error_message: `It needs ${needed} credits to start, for five minutes, and of the ${run.max_credits} that this run may spend ${inCredits(available)} are left.`,
        finished_at: now,
      };
    });
    endRows(state, node, failed);
  }
}

const nodeOf = ({ plan }: RunState, { node_key }: NodeRunRow) =>
  plan.byKey.get(node_key) as PlannedNode;

/** Of its first slice. */
const priceOf = ({ definition: { resources } }: PlannedNode, { memory_mb }: NodeRunRow): number =>
  sliceOf({ ...resources, memory_mb: memory_mb ?? resources.memory_mb });
