/**
 * Reads what decisions need from the database: states of runs, and answers to the kernel's
 * questions.
 */
import type { Transaction } from '../db/transaction.ts';
import type { Asking, Question } from './kernel/asking.ts';
import { readCounters } from './kernel/counters.ts';
import type { Plan } from './kernel/plan.ts';
import { type LaneFile, newState, type RunState } from './kernel/state.ts';
import type { NodeRunRow } from './records.ts';
import { findFractions } from './tables/attempts.ts';
import type { Ids } from './tables/ids.ts';
import { findFirstFailures, findNodeRunsWithin, findQueuedWithin } from './tables/node-runs.ts';
import { countOutputs, findLaneInputs, findLaneOutputs } from './tables/outputs.ts';
import { findStoredRuns, type StoredRun } from './tables/runs.ts';

/** The state of a locked run. `rows`: the begun node runs in the lanes that changed. */
export function stateOf(stored: StoredRun, plan: Plan, rows: readonly NodeRunRow[]): RunState {
  const { node_counts, first_ids, now, ...run } = stored;
  const lanes = new Set(rows.flatMap(({ shard_index }) => shard_index ?? []));
  const counts = readCounters(node_counts);
  const state = newState(run, plan, now, { counts, firstIds: first_ids, loaded: lanes });
  for (const row of rows) state.rows.set(row.id, row);
  return state;
}

/** A decision under way, and the state it works on. */
export type Deciding = { state: RunState; asking: Asking<void> };

/** Runs decisions to their end. Questions asked at the same time are answered in one read. */
export async function decideAll(
  tx: Transaction,
  ids: Ids,
  decisions: readonly Deciding[],
): Promise<void> {
  const next = ({ state, asking }: Deciding) => {
    const step = asking.next();
    return step.done ? [] : [{ state, asking, question: step.value }];
  };
  let open = decisions.flatMap(next);
  while (open.length > 0) {
    await Promise.all(open.map(({ state, question }) => answer(tx, ids, state, question)));
    open = open.flatMap(next);
  }
}

async function answer(
  tx: Transaction,
  ids: Ids,
  state: RunState,
  question: Question,
): Promise<void> {
  const { run } = state;
  switch (question.of) {
    case 'ids':
      state.firstReserved = await ids.nodeRuns(question.count);
      return;
    case 'rows':
      for (const row of await findNodeRunsWithin(tx, question.ids)) state.rows.set(row.id, row);
      return;
    case 'queued':
      for (const row of await findQueuedWithin(tx, question.ids, question.limit))
        if (!state.rows.has(row.id)) state.rows.set(row.id, row);
      return;
    case 'earlier': {
      const [earlier] = await findStoredRuns(tx, [run.restarted_from_run_id ?? 0]);
      if (!earlier) throw new Error(`Run ${run.id} restarts a run that is gone.`);
      const counts = readCounters(earlier.node_counts);
      state.earlier = { counts, firstIds: earlier.first_ids, rows: new Map() };
      return;
    }
    case 'earlier rows':
      for (const row of await findNodeRunsWithin(tx, question.ids))
        state.earlier?.rows.set(row.id, row);
      return;
    case 'outputs':
      return countPorts(tx, state, question.ids);
    case 'input files':
      return keepFiles(
        state,
        question.name,
        await findLaneInputs(tx, run, question.input, question.lanes),
      );
    case 'output files': {
      const { name, node_run_id, port, lanes } = question;
      return keepFiles(
        state,
        name,
        await findLaneOutputs(tx, run.tenant_id, node_run_id, port, lanes),
      );
    }
    case 'failures': {
      const failed = await findFirstFailures(tx, run.id);
      state.failures = new Map(failed.map((row) => [row.node_key, row]));
      return;
    }
    case 'fractions': {
      const sums = await findFractions(tx, run);
      state.fractions = new Map(sums.map(({ position, reported }) => [position, reported]));
      return;
    }
  }
}

async function countPorts(tx: Transaction, state: RunState, nodeRunIds: number[]) {
  const counted = await countOutputs(tx, state.run.tenant_id, nodeRunIds);
  const byNodeRun = Map.groupBy(counted, ({ node_run_id }) => node_run_id);
  for (const id of nodeRunIds) {
    const ports = byNodeRun.get(id) ?? [];
    state.outputCounts.set(id, new Map(ports.map(({ port, count }) => [port, count])));
  }
}

function keepFiles(
  { laneFiles }: RunState,
  name: string,
  files: readonly (LaneFile & { lane: number })[],
) {
  const known = laneFiles.get(name);
  for (const { lane, ...file } of files) known?.set(lane, file);
}
