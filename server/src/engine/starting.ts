/** What is stored when runs begin, besides the changes of their first decision. */

import { inCredits, inThousandths, sliceOf } from '../credits/prices.ts';
import type { Transaction } from '../db/transaction.ts';
import { conflict, DomainError } from '../errors.ts';
import { holdObjects } from '../objects/objects.ts';
import { registriesWithCredentials, type TenantRegistry } from '../resources/secrets/secrets.ts';
import type { Traces } from '../traces/traces.ts';
import { publishResults } from './attempts/results.ts';
import { begin, beginningState } from './kernel/begin.ts';
import { nameOfLanes } from './kernel/conditions.ts';
import type { Plan } from './kernel/plan.ts';
import type { Earlier, RunState } from './kernel/state.ts';
import { type Deciding, decideAll } from './load.ts';
import { piecesOf } from './pieces.ts';
import type { RunRow } from './records.ts';
import { reserveAccounts } from './tables/credits.ts';
import type { Ids } from './tables/ids.ts';
import { addInputFiles, type NewInputFile } from './tables/outputs.ts';
import { tellOfWork } from './tables/queue.ts';
import { tellOfEvents } from './tables/run-events.ts';
import { addGraph, addRuns, type NewRun, reserveRuns } from './tables/runs.ts';
import { endedIn } from './traced.ts';
import { type Sending, statementsOf } from './write.ts';

/** A run that was checked and may begin. */
export type RunToBegin = {
  run: NewRun;
  plan: Plan;
  /** The graph as the database formats it; undefined if it is known to be stored. */
  graph_text: string | undefined;
  /** Its files, each with its position in an input of the graph. */
  files: readonly NewInputFile[];
  /** The run whose results it takes over where they are the same, locked. */
  earlier?: Earlier;
};

/** What is read for new runs: an id for each, the time, known registries, and bytes that are gone. */
export type Reserved = {
  ids: readonly number[];
  /** Ids of accounts for those with limits of their own, in their order. */
  accounts: readonly number[];
  now: string;
  /** Thousandths of credits that tenants with a limit have left. */
  credits: ReadonlyMap<number, number>;
  /** Registries the tenant has credentials for, by `nameOfRegistry`. */
  registries: ReadonlySet<string>;
  /** Objects of input files that were removed after the files were checked. */
  gone: ReadonlySet<number>;
};

export const nothingReserved: Reserved = {
  ids: [],
  accounts: [],
  now: '',
  credits: new Map(),
  registries: new Set(),
  gone: new Set(),
};

export async function reserve(tx: Transaction, starts: readonly RunToBegin[]): Promise<Reserved> {
  const registries = starts.flatMap(registriesOf);
  const objects = starts.flatMap(({ run: { tenant_id }, files }) =>
    files.flatMap(({ object_id: id }) => (id === undefined ? [] : { tenant_id, id })),
  );
  const tenants = starts.map(({ run }) => run.tenant_id);
  const limited = starts.filter(({ run }) => run.max_credits !== undefined).length;
  const [runs, found, gone, accounts] = await Promise.all([
    reserveRuns(tx, tenants),
    registries.length > 0 ? registriesWithCredentials(tx, registries) : [],
    holdObjects(tx, objects),
    limited > 0 ? reserveAccounts(tx, limited) : [],
  ]);
  const credits = runs.flatMap(({ tenant_id, credits }) =>
    credits === undefined ? [] : [[tenant_id, credits] as const],
  );
  return {
    ids: runs.map(({ id }) => id),
    accounts,
    now: runs[0]?.now ?? '',
    credits: new Map(credits),
    registries: new Set(found.map(nameOfRegistry)),
    gone,
  };
}

const nameOfRegistry = ({ tenant_id, server }: TenantRegistry) => `${tenant_id} ${server}`;

/** An invalid image name needs no registry here: the worker refuses it. */
function registriesOf({ run, plan }: RunToBegin): TenantRegistry[] {
  const servers = plan.nodes.flatMap(({ registry }) => registry ?? []);
  return [...new Set(servers)].map((server) => ({ tenant_id: run.tenant_id, server }));
}

/** Why a run cannot begin: 404 for a removed file, 409 `registry_credentials_missing`. */
export function refusalOf(
  start: RunToBegin,
  { registries, gone }: Reserved,
): DomainError | undefined {
  const isGone = ({ object_id }: NewInputFile) => object_id === undefined || gone.has(object_id);
  if (start.files.some(isGone))
    return new DomainError('not_found', 'A file for this run was removed for ever.');
  const missing = registriesOf(start).filter((one) => !registries.has(nameOfRegistry(one)));
  if (missing.length === 0) return undefined;
  const servers = missing.map(({ server }) => server).join(', ');
  return conflict(
    'registry_credentials_missing',
    `There are no credentials for the registry at ${servers}. An administrator can add them as a secret of kind registry.`,
  );
}

/**
 * Why a run that has begun cannot go on: 409 `insufficient_credits` if neither of what it begins with
 * can be paid for, by its tenant or by its own limit.
 */
export function unpaidStart(
  { run, changes }: RunState,
  { credits }: Reserved,
): DomainError | undefined {
  const left = Math.min(
    credits.get(run.tenant_id) ?? Number.POSITIVE_INFINITY,
    run.max_credits === undefined ? Number.POSITIVE_INFINITY : inThousandths(run.max_credits),
  );
  if (left === Number.POSITIVE_INFINITY || changes.ready.length === 0) return undefined;
  const needed = Math.min(...changes.ready.map(({ needs }) => sliceOf(needs)));
  if (needed <= left) return undefined;
  return conflict(
    'insufficient_credits',
    `This run needs ${inCredits(needed)} credits to start, for five minutes of its first step, and ${inCredits(left)} are left.`,
  );
}

/** The states of new runs, to be decided on. */
export function beginning(starts: readonly RunToBegin[], reserved: Reserved): Deciding[] {
  const accounts = reserved.accounts.values();
  return starts.map(({ run, plan, files, earlier }, at) => {
    const credit_account_id = run.max_credits === undefined ? undefined : accounts.next().value;
    const lanes = new Map<string, number>();
    for (const { input_name } of files) lanes.set(input_name, (lanes.get(input_name) ?? 0) + 1);
    const row: RunRow = {
      ...withoutUndefined(run),
      id: reserved.ids[at] as number,
      status: 'queued',
      progress_percentage: 0,
      created_at: reserved.now,
      ...(credit_account_id !== undefined && { credit_account_id }),
    };
    const state = beginningState(row, plan, lanes, reserved.now);
    state.earlier = earlier;
    // Conditions may need the files before they are stored.
    for (const { input_name, position, ...file } of files) {
      const name = nameOfLanes({ kind: 'input', input: input_name });
      const known = state.laneFiles.get(name) ?? new Map();
      state.laneFiles.set(name, known.set(position, file));
    }
    return { state, asking: begin(state) };
  });
}

function withoutUndefined<T extends object>(value: T) {
  return Object.fromEntries(
    Object.entries(value).filter(([, is]) => is !== undefined),
  ) as unknown as NewRun & {
    output_parent_id?: number;
    max_credits?: number;
    until?: string;
    reuse_from_run_id?: number;
  };
}

/** Sends what is stored for new runs, besides what `write` sends. */
export const addAll = (
  tx: Transaction,
  starts: readonly RunToBegin[],
  states: readonly RunState[],
): Promise<unknown>[] => Array.from(additions(tx, starts, states), (statement) => statement.send());

/** The same statements, built on demand. */
function* additions(
  tx: Transaction,
  starts: readonly RunToBegin[],
  states: readonly RunState[],
): Generator<Sending> {
  const graphs = new Map<string, RunToBegin & { graph_text: string }>();
  for (const start of starts) {
    const { tenant_id, graph_hash } = start.run;
    const { graph_text } = start;
    const name = `${tenant_id}|${Buffer.from(graph_hash).toString('hex')}`;
    if (graph_text !== undefined) graphs.set(name, { ...start, graph_text });
  }
  for (const { run, plan, graph_text } of graphs.values())
    yield addGraph(tx, {
      tenant_id: run.tenant_id,
      hash: run.graph_hash,
      text: graph_text,
      nodes: plan.nodes.map(({ key, node, domain }) => ({
        key,
        definition_id: node.node_definition_id,
        mapped: domain !== null,
        ...(domain?.kind === 'input' ? { lane_input: domain.input } : {}),
      })),
    });
  yield addRuns(tx, states);
  const files = starts.flatMap(({ run, files: of }, at) =>
    of.map((file) => ({
      ...file,
      tenant_id: run.tenant_id,
      run_id: (states[at] as RunState).run.id,
    })),
  );
  for (const piece of piecesOf(files)) yield addInputFiles(tx, piece);
}

/** Statements sent before waiting for their results. A small start has no more than these. */
const mostAtOnce = 8;

/** Sends a few at a time: building all statements of a large start at once blocks the event loop. */
async function sendInParts(statements: Iterable<Sending>): Promise<void> {
  let sent: Promise<unknown>[] = [];
  for (const statement of statements) {
    sent.push(statement.send());
    if (sent.length < mostAtOnce) continue;
    await Promise.all(sent);
    sent = [];
  }
  await Promise.all(sent);
}

/**
 * Begins a run in the caller's transaction.
 *
 * @param refuse throws if the run, as it has begun, is not to be.
 * @throws DomainError as `refusalOf` says.
 */
export async function beginRun(
  tx: Transaction,
  { ids, traces }: { ids: Ids; traces: Traces | undefined },
  start: RunToBegin,
  refuse: (state: RunState) => void = () => {},
): Promise<RunRow> {
  const reserved = await reserve(tx, [start]);
  const refusal = refusalOf(start, reserved);
  if (refusal) throw refusal;
  const decisions = beginning([start], reserved);
  await decideAll(tx, ids, decisions);
  const states = decisions.map(({ state }) => state);
  const [state] = states;
  if (!state) throw new Error('The run has not begun.');
  refuse(state);
  const unpaid = unpaidStart(state, reserved);
  if (unpaid) throw unpaid;
  await sendInParts(statementsOfStart(tx, start, states));
  if (state.changes.published.length > 0) await publishResults(tx, state);
  if (state.changes.ready.length > 0) await tellOfWork(tx);
  const { runs } = endedIn(states, new Map());
  tx.afterCommit(() => {
    for (const run of runs) traces?.runEnded(run);
  });
  return state.run;
}

function* statementsOfStart(tx: Transaction, start: RunToBegin, states: readonly RunState[]) {
  yield* additions(tx, [start], states);
  yield* statementsOf(tx, states, () => true);
  yield tellOfEvents(tx);
}
