/**
 * One round of the engine: all requests that arrived together, in one transaction. It reads what
 * the decisions need, decides in memory, hands ready node runs to waiting workers, and writes once.
 * A bad report is refused without affecting the others.
 */
import type { Logger } from 'pino';
import type { Connection } from '../../db/connection.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Keys } from '../../keys/keys.ts';
import type { Metrics } from '../../metrics.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Traces } from '../../traces/traces.ts';
import { isSmall, type Order, type OrderSources, ordersOf } from '../attempts/orders.ts';
import { publishResults } from '../attempts/results.ts';
import type { RunState } from '../kernel/state.ts';
import { decideAll } from '../load.ts';
import type { NewEvents } from '../new-events.ts';
import type { Plans } from '../plans.ts';
import { addAll } from '../starting.ts';
import type { Ids } from '../tables/ids.ts';
import { endedIn } from '../traced.ts';
import { write } from '../write.ts';
import { Round } from './deciding.ts';
import { handOut } from './handing-out.ts';
import { type Found, type RoundOptions, read } from './reading.ts';
import { hasFreed } from './slots.ts';
import type { Ask, HandedOut, RoundResult, Task } from './tasks.ts';

/** What rounds depend on. */
export type Ground = {
  db: Connection;
  ids: Ids;
  plans: Plans;
  /** Sources of work orders, besides their files. */
  orders: Omit<OrderSources, 'files'>;
  /** Told of what has ended. */
  traces: Traces | undefined;
  /** Told of each round that changed runs. */
  newEvents: NewEvents;
};

/** What a process makes its rounds with. */
export type RoundsParts = {
  log: Pick<Logger, 'error'>;
  keys: Keys;
  storage: Storage;
  metrics: Metrics;
  traces: Traces | undefined;
};

/** @throws errors of the database; then nothing was changed. */
export async function runRound<A extends Ask>(
  ground: Ground,
  tasks: readonly Task[],
  asks: readonly A[],
  options: RoundOptions,
): Promise<RoundResult<A>> {
  let hasChanged = false;
  let ended: ReturnType<typeof endedIn> | undefined;
  const result = await ground.db.transaction(
    async (tx) => {
      const found = await read(tx, tasks, asks, options);
      const plans = await ground.plans.of(tx, found.runs);
      const round = new Round(found, plans, tasks);
      await decideAll(tx, ground.ids, round.decisions());
      round.refuseUnpaid();
      if (!options.publish) round.putApart();
      const leases = await handOut(tx, ground, round, asks, found);
      const handedOut = [...leases.asks.values()].flatMap((outcome) => outcome.leases);
      await end(tx, round, () => addOrders(ground, tx, handedOut));
      if (ground.traces) ended = endedIn(round.states(), found.attempts);
      hasChanged = round.states().some(({ changes }) => changes.run || changes.rows.size > 0);
      return {
        outcomes: round.outcomes,
        asks: leases.asks,
        locked_runs: leases.locked_runs,
        unpaid_runs: leases.unpaid_runs,
        unpayable: leases.unpayable,
        left: leases.left,
        is_held: leases.is_held,
        has_freed:
          hasPaidEnds(round) ||
          hasFreed(
            cappedEnds(round, found),
            handedOut.map(({ state }) => state.run),
          ),
        ended: round.states().flatMap(endOf),
        queued: round
          .states()
          .flatMap(({ changes }) => changes.ready.map(({ delay_ms }) => ({ pause_ms: delay_ms }))),
      };
    },
    { readsFirst: true, alongKeys: options.publish },
  );
  if (hasChanged) ground.newEvents.tell();
  for (const attempt of ended?.attempts ?? []) ground.traces?.attemptEnded(attempt);
  for (const run of ended?.runs ?? []) ground.traces?.runEnded(run);
  return result;
}

function endOf({ run, changes, now }: RunState): RoundResult<Ask>['ended'] {
  const { status, started_at = now, finished_at } = run;
  if (!changes.run || finished_at !== now) return [];
  return [{ status, seconds: (Date.parse(finished_at) - Date.parse(started_at)) / 1000 }];
}

/** Whether credits come back with this round, for which other work may wait. */
const hasPaidEnds = (round: Round) =>
  round.states().some(({ changes }) => changes.ended.some(({ is_paid }) => is_paid));

/** The run of each attempt that ends in this round and has a cap. */
const cappedEnds = (round: Round, { attempts }: Found) =>
  round
    .states()
    .flatMap(({ run, changes }) =>
      changes.ended.filter(({ id }) => attempts.get(id)?.is_capped).map(() => run),
    );

/**
 * Writes all changes, and commits.
 *
 * @param last is sent with the commit, and reads what is written here.
 */
async function end(tx: Transaction, round: Round, last: () => Promise<void>) {
  const states = round.states();
  const sent = write(tx, states, round.isNew);
  if (round.starts.length > 0) sent.push(...addAll(tx, round.starts, round.begun()));
  const published = states.filter(({ changes }) => changes.published.length > 0);
  if (published.length === 0) {
    await tx.commit([...sent, last()]);
    return;
  }
  await Promise.all(sent);
  for (const state of published) await publishResults(tx, state);
  await last();
}

/** Composes the orders that name few files; larger ones are composed after the round. */
async function addOrders({ orders }: Ground, tx: Transaction, leases: readonly HandedOut[]) {
  const small = leases.filter(isSmall);
  if (small.length === 0) return;
  const made = await ordersOf({ ...orders, files: tx }, small);
  for (const [at, lease] of small.entries()) lease.order = made[at] as Order | Error;
}
