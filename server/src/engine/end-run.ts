/** The end of a run: when it has come, how it went, and what is said of it. */
import {
  errorMessage,
  failureCause,
  type NodeCounts,
  progressOf,
  runOutcome,
} from '@cogworks/graph/steps';
import type { Db } from '../db/connection.ts';
import type { Plan } from './plan.ts';
import { endRun, findFirstFailures } from './queries.ts';
import type { RunNodeRow, RunRow } from './records.ts';
import type { Settling } from './settle.ts';

/** The counters of a node as the graph package wants them. */
export const countsOf = (row: RunNodeRow): NodeCounts => ({
  ...row,
  expected: row.expected ?? null,
});

/** How many node runs of a node have ended, in whatever way. */
export const endedOf = (row: RunNodeRow) =>
  row.success + row.failure + row.cancelled + row.skipped_by_condition + row.skipped_upstream;

export async function endWhenDone({ tx, run, plan, nodes }: Settling) {
  const rows = [...nodes.values()];
  const done = rows.every((row) => endedOf(row) === row.expected);
  if (!done) return;

  const counted = rows.map((row) => ({
    key: row.node_key,
    leaf: plan.nodes.get(row.node_key)?.leaf ?? false,
    counts: countsOf(row),
    running: 0,
  }));
  const stopped = run.cancel_requested_at !== undefined && rows.some((row) => row.cancelled > 0);
  const outcome = runOutcome({ nodes: counted }, stopped);
  const { progress_percentage } = progressOf(counted, outcome, Number(run.progress_percentage));
  const message =
    outcome === 'failure' || outcome === 'partial_success'
      ? await messageOf(tx, run, plan, rows)
      : null;
  await endRun(tx, run.tenant_id, run.id, outcome, progress_percentage, message);
}

async function messageOf(tx: Db, run: RunRow, plan: Plan, rows: RunNodeRow[]) {
  const first = new Map(
    (await findFirstFailures(tx, run.tenant_id, run.id)).map((row) => [row.node_key, row]),
  );
  return errorMessage(
    rows.map((row) => ({
      key: row.node_key,
      map: plan.nodes.get(row.node_key)?.node.map ?? false,
      counts: countsOf(row),
      cause: failureCause(first.get(row.node_key) ?? {}),
    })),
  );
}
