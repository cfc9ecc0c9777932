/** Writes decisions to the database: one statement per kind of row, for all runs together. */

import { inThousandths } from '../credits/prices.ts';
import type { Transaction } from '../db/transaction.ts';
import { discardObjects, objectsGoLive } from '../objects/objects.ts';
import type { IdRange } from './kernel/asking.ts';
import type { Changes } from './kernel/changes.ts';
import { eventsOf } from './kernel/events.ts';
import type { RunState } from './kernel/state.ts';
import { piecesOf } from './pieces.ts';
import { addAttempts, endAttempts, requestStop } from './tables/attempts.ts';
import { holdSlices, openRunAccounts, settleHolds } from './tables/credits.ts';
import { endQueued, writeNodeRuns } from './tables/node-runs.ts';
import { addOutputs, copyOutputs } from './tables/outputs.ts';
import { addToQueue, removeFromQueue } from './tables/queue.ts';
import { addRunEvents } from './tables/run-events.ts';
import { updateRuns } from './tables/runs.ts';

/**
 * Sends the statements for all changes, pipelined.
 *
 * @param states of locked runs; `isNew` tells which were just added.
 */
export const write = (
  tx: Transaction,
  states: readonly RunState[],
  isNew: (state: RunState) => boolean,
): Promise<unknown>[] =>
  Array.from(statementsOf(tx, states, isNew), (statement) => statement.send());

/** The statements for all changes, built on demand. None depends on the result of another. */
export function* statementsOf(
  tx: Transaction,
  states: readonly RunState[],
  isNew: (state: RunState) => boolean,
): Generator<Sending> {
  /** Rows of one kind, each with its run. */
  const ofRuns = <Row extends object>(pick: (changes: Changes) => readonly Row[]) =>
    states.flatMap(({ run, changes }) => pick(changes).map((row) => ({ ...row, ...nameOf(run) })));

  yield* send(
    states.filter((state) => state.changes.run && !isNew(state)),
    (rows) => updateRuns(tx, rows),
  );
  yield* send(
    states.flatMap(({ changes }) => [...changes.rows]),
    (rows) => writeNodeRuns(tx, rows),
  );
  // What has ended otherwise is not queued any more by now: a queued node run may be the failure that stops its run.
  const stopped = states.filter(({ changes }) => changes.stopped);
  for (const state of stopped) {
    const nodes = begunNodes(state);
    const { waiting_ended_as } = state.run;
    if (nodes.length > 0 && waiting_ended_as) yield endQueued(tx, nodes, waiting_ended_as);
  }
  yield* send(
    states.flatMap(({ run, changes }) =>
      changes.ready.map((ready) => ({
        ...{ ...ready, ...nameOf(run), priority: run.priority },
        run_account_id: run.credit_account_id,
      })),
    ),
    (rows) => addToQueue(tx, rows),
  );
  yield* send(
    states.flatMap(({ changes }) => changes.unqueued),
    (ids) => removeFromQueue(tx, ids),
  );
  yield* send(
    states.flatMap(({ changes }) => changes.ended),
    (rows) => endAttempts(tx, rows),
  );
  yield* send(
    ofRuns(({ started }) => started),
    (rows) => addAttempts(tx, rows),
  );
  yield* movementsOf(tx, states, isNew);
  if (stopped.length > 0) {
    const runs = stopped.map(({ run }) => run);
    yield requestStop(tx, runs);
  }
  const objects = (pick: (changes: Changes) => readonly number[]) =>
    states.flatMap(({ run, changes }) =>
      pick(changes).map((id) => ({ tenant_id: run.tenant_id, id })),
    );
  yield* send(
    objects(({ outputs }) => outputs.map(({ object_id }) => object_id)),
    (rows) => objectsGoLive(tx, rows),
  );
  yield* send(
    objects(({ unused }) => unused),
    (rows) => discardObjects(tx, rows),
  );
  yield* send(
    ofRuns(({ outputs }) => outputs),
    (rows) => addOutputs(tx, rows),
  );
  yield* send(
    ofRuns(({ copies }) => copies),
    (rows) => copyOutputs(tx, rows),
  );
  yield* send(
    states.flatMap((state) => eventsOf(state, isNew(state)) ?? []),
    (rows) => addRunEvents(tx, rows),
  );
}

function* send<Row>(rows: readonly Row[], statement: (rows: readonly Row[]) => Sending) {
  for (const piece of piecesOf(rows)) yield statement(piece);
}

/** What moves in accounts of credits. Follows the attempts that it is about. */
function* movementsOf(
  tx: Transaction,
  states: readonly RunState[],
  isNew: (state: RunState) => boolean,
): Generator<Sending> {
  yield* send(states.filter(isNew).flatMap(accountOf), (rows) => openRunAccounts(tx, rows));
  const ended = states.flatMap(({ changes }) => changes.ended);
  yield* send(
    ended.filter(({ is_paid }) => is_paid).map(({ id }) => id),
    (ids) => settleHolds(tx, ids),
  );
  const started = states.flatMap(({ changes }) => changes.started);
  yield* send(
    started.flatMap(({ id, payment }) => (payment ? { id, ...payment } : [])),
    (rows) => holdSlices(tx, rows),
  );
}

/** The account of a run with a limit of its own. */
const accountOf = ({
  run: { id: run_id, tenant_id, credit_account_id: id, max_credits },
}: RunState) =>
  id === undefined || max_credits === undefined
    ? []
    : { id, tenant_id, run_id, thousandths: inThousandths(max_credits) };

const nameOf = ({ tenant_id, workflow_id, id }: RunState['run']) => ({
  ...{ tenant_id, workflow_id, run_id: id },
});

/** A statement that can be sent. */
export type Sending = { send(): Promise<unknown> };

/** Id ranges of nodes that may have queued node runs. */
function begunNodes({ counts, firstIds }: RunState): IdRange[] {
  return counts.flatMap(({ begun, expected }, position) => {
    const first = firstIds[position] ?? 0;
    return begun > 0 && first > 0 && expected ? [{ first, last: first + expected - 1 }] : [];
  });
}
