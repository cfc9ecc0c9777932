/** Hands out work: node runs that became ready in a round are leased without passing the queue. */
import { randomUUID } from 'node:crypto';
import type { Resources } from '@cogworks/graph/resources';
import { rateOf } from '../../credits/prices.ts';
import type { Transaction } from '../../db/transaction.ts';
import { inputsOfAnswer } from '../attempts/order-inputs.ts';
import { lease } from '../kernel/lease.ts';
import { hasLongQueue, isUnderWay, type RunState } from '../kernel/state.ts';
import type { Plans } from '../plans.ts';
import { type Candidate, choose, mayHideMore } from '../queue/choose.ts';
import type { NodeRunRow } from '../records.ts';
import type { Ids } from '../tables/ids.ts';
import { bandOf, findLoads, lockQueued, type WorkerFacts } from '../tables/queue.ts';
import { lockRuns } from '../tables/runs.ts';
import { creditsOf, isHopeless, unpaidRuns } from './credits.ts';
import type { Round } from './deciding.ts';
import { accountsOf, balancesIn, endHopeless, paymentOf, type Row, unpayableOf } from './paying.ts';
import type { Found } from './reading.ts';
import { slotsOf } from './slots.ts';
import type { Ask, AskOutcome, RoundResult } from './tasks.ts';

type HandOut<A extends Ask> = Pick<
  RoundResult<A>,
  'asks' | 'locked_runs' | 'unpaid_runs' | 'unpayable' | 'left' | 'is_held'
>;

/** Leases ready and queued node runs to the workers that ask. */
export async function handOut<A extends Ask>(
  tx: Transaction,
  { ids, plans }: { ids: Ids; plans: Plans },
  round: Round,
  asks: readonly A[],
  found: Found,
): Promise<HandOut<A>> {
  const { workers, candidates } = found;
  const outcomes = new Map<A, AskOutcome>(
    asks.map((ask) => [ask, { leases: [], standing: standingOf(workers.get(ask.worker_id), ask) }]),
  );
  const places = asks
    .filter((ask) => outcomes.get(ask)?.standing === 'open')
    .map((ask) => placeOf(ask, workers.get(ask.worker_id) as WorkerFacts, found, round));
  const fresh = readyOf(round, found);
  const all = [...candidates, ...fresh.values()];
  if (places.length === 0 || all.length === 0)
    return {
      asks: outcomes,
      locked_runs: [],
      unpaid_runs: [],
      unpayable: [],
      left: candidates.length === 0 ? 'nothing' : 'some',
      is_held: false,
    };

  const counted = slotsOf([...found.slots, ...candidates], endedIn(round));
  const { balances, is_held: isAccountHeld } = balancesIn(round, found);
  const is_held = counted.is_held || isAccountHeld;
  const [hopeless, payable] = partition(all, (one) => isHopeless(one, balances));
  const slots = { ...counted.slots, credits: creditsOf(balances) };
  const choices = choose(payable, places, await loadsOf(tx, all), rateOf, slots);
  const waiting = [...choices, ...hopeless.map((candidate) => ({ candidate }))].filter(
    ({ candidate }) => !fresh.has(candidate.node_run_id),
  );
  const { rows, locked_runs } = await lockWaiting(tx, plans, round, waiting);
  const rowOf = ({ node_run_id, run_id }: Candidate): Row | undefined => {
    const state = round.stateOf(run_id);
    const row = (fresh.has(node_run_id) ? state?.rows : rows)?.get(node_run_id);
    return state && row ? { state, row } : undefined;
  };
  const unpaid = hopeless.flatMap((candidate) => rowOf(candidate) ?? []);
  const [long, short] = partition(unpaid, ({ state }) => hasLongQueue(state));
  await endHopeless(tx, ids, short, balances);
  const unpayable = unpayableOf(long);
  const unpaid_runs = [
    ...unpaidRuns(payable, choices, balances),
    ...unpayable.map(({ run_id }) => run_id),
  ];
  const left = short.length > 0 ? 'more' : leftOf(candidates, waiting, rows.size);
  const done = { asks: outcomes, locked_runs, unpaid_runs, unpayable, left, is_held };
  const attempts = choices.flatMap(({ candidate, place }) => {
    const found = rowOf(candidate);
    // What could not be paid for may have ended the run.
    if (!found || !isGoingOn(found.state)) return [];
    return [{ ...found, ask: place.ask, payment: paymentOf(candidate) }];
  });
  if (attempts.length === 0) return done;
  const first = await ids.attempts(attempts.length);
  for (const [at, { state, row, ask, payment }] of attempts.entries()) {
    const worker = {
      attempt_id: first + at,
      lease_token: randomUUID(),
      worker_id: ask.worker_id,
    };
    const attempt = lease(state, row, worker, payment);
    outcomes.get(ask)?.leases.push({ state, row, attempt });
  }
  for (const [{ takes_pages }, { leases }] of outcomes)
    if (takes_pages) for (const one of leases) one.most_inputs = shareOf(leases.length);
  return done;
}

const isGoingOn = ({ run }: RunState) =>
  isUnderWay(run.status) && run.waiting_ended_as === undefined;

function partition<T>(all: readonly T[], is: (one: T) => boolean): [T[], T[]] {
  const { true: yes = [], false: no = [] } = Object.groupBy(all, (one) => `${is(one)}` as const);
  return [yes, no];
}

/** The run of each attempt that ends in this round. */
const endedIn = (round: Round) =>
  round.states().flatMap(({ run, changes }) => changes.ended.map(() => run));

/** How many inputs each order may name, if one answer carries this many orders. */
const shareOf = (orders: number) => Math.max(1, Math.floor(inputsOfAnswer / orders));

/**
 * What is left in the queue. If all that was read of a kind was chosen, or another process locked some
 * of the chosen ones first, there may be more behind them.
 */
function leftOf(
  candidates: readonly Candidate[],
  chosen: readonly { candidate: Candidate }[],
  had: number,
): RoundResult<Ask>['left'] {
  if (candidates.length === 0) return 'nothing';
  return had < chosen.length || mayHideMore(candidates, chosen) ? 'more' : 'some';
}

function standingOf(worker: WorkerFacts | undefined, { epoch }: Ask): AskOutcome['standing'] {
  if (worker && worker.epoch !== epoch) return 'superseded';
  return worker?.desired_state === 'active' ? 'open' : 'away';
}

const nothing: Resources = { cpu: 0, memory_mb: 0, gpu: 0, disk_mb: 0 };

/** The worker's free capacity, including what this round frees; never more than it asks for. */
function placeOf<A extends Ask>(
  ask: A,
  { tenant_id, features, capacity }: WorkerFacts,
  { attempts, held }: Found,
  round: Round,
) {
  const used = { ...nothing, ...held.get(ask.worker_id) };
  for (const { changes } of round.states()) {
    for (const { id } of changes.ended) {
      const attempt = attempts.get(id);
      if (attempt?.worker_id !== ask.worker_id) continue;
      used.cpu -= attempt.cpu;
      used.memory_mb -= attempt.memory_mb;
      used.gpu -= attempt.gpu;
      used.disk_mb -= attempt.disk_mb;
    }
  }
  const { free, max } = ask;
  return {
    ask,
    worker_id: ask.worker_id,
    tenant_id,
    capacity,
    egress: features.includes('egress'),
    max,
    room: {
      // Rounded, because fractions of a cpu do not add up exactly.
      cpu: Math.min(free.cpu, Math.round((capacity.cpu - used.cpu) * 1000) / 1000),
      memory_mb: Math.min(free.memory_mb, capacity.memory_mb - used.memory_mb),
      gpu: Math.min(free.gpu, capacity.gpu - used.gpu),
      disk_mb: Math.min(free.disk_mb, capacity.disk_mb - used.disk_mb),
    },
  };
}

/** Node runs that became ready in this round, by id. */
function readyOf(round: Round, { slots }: Found): Map<number, Candidate> {
  const accounts = new Map(slots.map((one) => [one.tenant_id, one.tenant_account_id]));
  return new Map(
    round.states().flatMap(({ run, changes }) =>
      changes.ready
        .filter(({ delay_ms }) => delay_ms === 0)
        .map(({ row, needs }) => [
          row.id,
          {
            ...needs,
            node_run_id: row.id,
            tenant_id: run.tenant_id,
            workflow_id: run.workflow_id,
            run_id: run.id,
            band: bandOf(run.priority),
            waited_ms: 0,
            lost_workers: [],
            ...accountsOf(run, accounts.get(run.tenant_id)),
          },
        ]),
    ),
  );
}

async function loadsOf(tx: Transaction, candidates: readonly Candidate[]) {
  const tenants = [...new Set(candidates.map(({ tenant_id }) => tenant_id))];
  if (tenants.length < 2) return new Map<number, number>();
  const loads = await findLoads(tx, tenants);
  return new Map(loads.map(({ tenant_id, ...used }) => [tenant_id, rateOf(used)]));
}

/** Locks the chosen node runs that are queued, and their runs. */
async function lockWaiting(
  tx: Transaction,
  plans: Plans,
  round: Round,
  choices: readonly { candidate: Candidate }[],
): Promise<{ rows: Map<number, NodeRunRow>; locked_runs: number[] }> {
  if (choices.length === 0) return { rows: new Map(), locked_runs: [] };
  const runIds = new Set(choices.map(({ candidate }) => candidate.run_id));
  const more = [...runIds].filter((id) => !round.stateOf(id));
  const [runs, rows] = await Promise.all([
    more.length > 0 ? lockRuns(tx, more, []) : [],
    lockQueued(
      tx,
      choices.map(({ candidate }) => candidate.node_run_id),
    ),
  ]);
  round.know(await plans.of(tx, [...runs]));
  const byRun = Map.groupBy(rows, ({ run_id }) => run_id);
  for (const run of runs) round.add(run, []);
  const taken = new Map<number, NodeRunRow>();
  for (const [runId, of] of byRun) {
    const state = round.stateOf(runId);
    if (!state) continue;
    for (const row of of) {
      // Already ended by a stop in this round.
      if (state.run.waiting_ended_as !== undefined) continue;
      state.rows.set(row.id, row);
      taken.set(row.id, row);
    }
  }
  return { rows: taken, locked_runs: more.filter((id) => !round.stateOf(id)) };
}
