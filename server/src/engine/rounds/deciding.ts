/** The decisions of a round: the outcome of each task, and the new state of each run concerned. */
import { isTerminal } from '@cogworks/graph/statuses';
import { notFound } from '../../errors.ts';
import { type HeldAttempt, judge, lostReport, type Report } from '../attempts/judge.ts';
import type { Upload } from '../attempts/outputs.ts';
import { advance } from '../kernel/advance.ts';
import type { Asking } from '../kernel/asking.ts';
import { readCounters } from '../kernel/counters.ts';
import type { Plan } from '../kernel/plan.ts';
import { hasLongQueue, type RunState } from '../kernel/state.ts';
import { cancel } from '../kernel/stop.ts';
import { endLongUnpaid } from '../kernel/unpaid.ts';
import { stateOf } from '../load.ts';
import { keyOf } from '../plans.ts';
import type { AttemptRow, NodeRunRow } from '../records.ts';
import { beginning, type RunToBegin, refusalOf, unpaidStart } from '../starting.ts';
import type { StoredRun } from '../tables/runs.ts';
import type { Found } from './reading.ts';
import { leaseLost, type Task, type TaskOutcome } from './tasks.ts';

const isLive = ({ status }: AttemptRow) => status === 'leased' || status === 'running';

/** The states of a round's runs, the decisions on them, and the outcome of each task. */
export class Round {
  readonly outcomes: TaskOutcome[];
  readonly starts: RunToBegin[] = [];
  readonly #tasks: readonly Task[];
  readonly #found: Found;
  readonly #plans: Map<string, Plan>;
  readonly #states = new Map<number, RunState>();
  /** Runs whose stored data is damaged, so that nothing can be decided. */
  readonly #damaged = new Set<number>();
  /** With the place of its task. */
  readonly #begun = new Map<RunState, number>();
  /** The status of attempts ended in this round, to recognize a duplicate report. */
  readonly #ended = new Map<number, string>();

  constructor(found: Found, plans: Map<string, Plan>, tasks: readonly Task[]) {
    this.#found = found;
    this.#plans = plans;
    this.#tasks = tasks;
    this.outcomes = tasks.map(() => 'locked');
    for (const run of found.runs) this.add(run, found.rows.get(run.id) ?? []);
  }

  states = (): RunState[] => [...this.#states.values()];
  begun = (): RunState[] => [...this.#begun.keys()];
  stateOf = (runId: number): RunState | undefined => this.#states.get(runId);
  isNew = (state: RunState): boolean => this.#begun.has(state);

  /** Adds the state of a locked run. */
  add(run: StoredRun, rows: readonly NodeRunRow[]): void {
    const plan = this.#plans.get(keyOf(run));
    const isWhole = plan?.nodes.length === run.first_ids.length && hasCounters(run);
    if (plan && isWhole) this.#states.set(run.id, stateOf(run, plan, rows));
    else this.#damaged.add(run.id);
  }

  /** Adds plans for runs that are added later. */
  know(plans: ReadonlyMap<string, Plan>): void {
    for (const [key, plan] of plans) this.#plans.set(key, plan);
  }

  decisions(): { state: RunState; asking: Asking<void> }[] {
    const places = Map.groupBy(this.#tasks.keys(), (at) => this.#runOf(this.#tasks[at] as Task));
    const decisions = [...places].flatMap(([runId, ats]) => {
      const state = runId === undefined ? undefined : this.#states.get(runId);
      if (runId !== undefined && this.#damaged.has(runId))
        for (const at of ats) this.outcomes[at] = { error: hasNoPlan(runId) };
      return state ? [{ state, asking: this.#decide(state, ats) }] : [];
    });
    for (const at of places.get(undefined) ?? []) this.#withoutRun(at);
    return [...decisions, ...this.#beginnings()];
  }

  /**
   * Moves runs that publish result files or end a long queue out of this round, so that other runs
   * need not wait.
   */
  putApart(): void {
    for (const [runId, state] of this.#states) {
      const { run, changes } = state;
      const isLong = changes.stopped && hasLongQueue(state);
      if (changes.published.length === 0 && !isLong) continue;
      this.#states.delete(runId);
      for (const [at, task] of this.#tasks.entries())
        if (this.#runOf(task) === runId) this.outcomes[at] = { apart: run.tenant_id };
    }
  }

  /** Refuses starts whose first work cannot be paid for. What each begins with is known by now. */
  refuseUnpaid(): void {
    for (const [index, [state, at]] of [...[...this.#begun].entries()].toReversed()) {
      const error = unpaidStart(state, this.#found.reserved);
      if (!error) continue;
      this.outcomes[at] = { error };
      this.starts.splice(index, 1);
      this.#begun.delete(state);
      this.#states.delete(state.run.id);
    }
  }

  #runOf(task: Task): number | undefined {
    if (task.do === 'start') return undefined;
    if (task.do === 'cancel' || task.do === 'end unpaid') return task.run_id;
    const id = task.do === 'report' ? task.attempt_id : task.attempt.id;
    return this.#found.attempts.get(id)?.run_id;
  }

  #withoutRun(at: number) {
    const task = this.#tasks[at];
    if (task?.do === 'report') this.outcomes[at] = { error: notFound('Attempt') };
    if (task?.do === 'give up') this.outcomes[at] = { result: { of: 'give up', is_given: false } };
  }

  #beginnings() {
    const { reserved } = this.#found;
    const places: number[] = [];
    for (const [at, task] of this.#tasks.entries()) {
      if (task.do !== 'start') continue;
      const refusal = refusalOf(task.start, reserved);
      if (refusal) this.outcomes[at] = { error: refusal };
      else {
        places.push(at);
        this.starts.push(task.start);
      }
    }
    const decisions = beginning(this.starts, reserved);
    for (const [number, { state }] of decisions.entries()) {
      this.#states.set(state.run.id, state);
      const at = places[number] as number;
      this.#begun.set(state, at);
      this.outcomes[at] = { result: { of: 'start', run: state.run } };
    }
    return decisions;
  }

  *#decide(state: RunState, ats: readonly number[]): Asking<void> {
    let hasChanged = false;
    for (const at of ats) {
      const task = this.#tasks[at] as Task;
      const outcome = yield* this.#do(state, task);
      this.outcomes[at] = outcome.outcome;
      hasChanged ||= outcome.hasChanged;
    }
    if (hasChanged) yield* advance(state);
  }

  *#do(state: RunState, task: Task): Asking<{ outcome: TaskOutcome; hasChanged: boolean }> {
    if (task.do === 'cancel') {
      const { status, cancel_requested_at } = state.run;
      const hasChanged = !isTerminal(status) && cancel_requested_at === undefined;
      if (hasChanged) cancel(state, task.reason);
      return { outcome: { result: { of: 'cancel', status } }, hasChanged };
    }
    if (task.do === 'end unpaid') {
      const credits = this.#found.credits.get(state.run.id);
      // What runs may give back enough.
      const isFinal = credits?.held === 0;
      const ended = isFinal ? yield* endLongUnpaid(state, task.node_run_ids, credits.available) : 0;
      const has_more = ended > 0;
      return { outcome: { result: { of: 'end unpaid', has_more } }, hasChanged: has_more };
    }
    if (task.do === 'start') throw new Error('A start has no run yet.');
    const id = task.do === 'report' ? task.attempt_id : task.attempt.id;
    const attempt = this.#found.attempts.get(id) as HeldAttempt;
    if (task.do === 'give up') {
      // A report or a lease renewal that came first wins.
      const is_given = this.#isLive(attempt) && task.isLost(attempt);
      if (is_given) yield* this.#end(state, attempt, lostReport(attempt));
      return { outcome: { result: { of: 'give up', is_given } }, hasChanged: is_given };
    }
    const refused = (error: unknown) => ({ outcome: { error }, hasChanged: false });
    const { report, looked, worker_id } = task;
    if (attempt.worker_id !== worker_id) return refused(notFound('Attempt'));
    if (attempt.lease_token !== report.lease_token) return refused(leaseLost());
    const done = { result: { of: 'report' as const, look_at: undefined } };
    if ((this.#ended.get(id) ?? attempt.status) === report.status)
      return { outcome: done, hasChanged: false };
    if (!this.#isLive(attempt)) return refused(leaseLost());
    const unseen = looked ? [] : unseenOf(attempt.uploads, report);
    if (unseen.length > 0) {
      const look_at = unseen.map((object) => ({ tenant_id: attempt.tenant_id, id: object }));
      return { outcome: { result: { of: 'report', look_at } }, hasChanged: false };
    }
    yield* this.#end(state, attempt, report);
    return { outcome: done, hasChanged: true };
  }

  #isLive = (attempt: AttemptRow) => isLive(attempt) && !this.#ended.has(attempt.id);

  *#end(state: RunState, attempt: HeldAttempt, report: Report): Asking<void> {
    yield* judge(state, attempt, report);
    const ended = state.changes.ended.find(({ id }) => id === attempt.id);
    this.#ended.set(attempt.id, ended?.status ?? '');
  }
}

/** A run with a damaged row must not block the round for all others. */
const hasCounters = ({ node_counts, first_ids }: StoredRun) =>
  readCounters(node_counts).length === first_ids.length;

const hasNoPlan = (runId: number) =>
  new Error(`The graph or the counters of run ${runId} are damaged.`);

/** Uploads sent directly to a bucket are not yet verified: the storage has to be asked. */
function unseenOf(uploads: readonly Upload[], { outputs }: Report): number[] {
  const reported = new Set(outputs.map(({ object_id }) => object_id));
  return uploads
    .filter(({ object_id, state, size_bytes }) => {
      return reported.has(object_id) && state === 'pending' && size_bytes === undefined;
    })
    .map(({ object_id }) => object_id);
}
