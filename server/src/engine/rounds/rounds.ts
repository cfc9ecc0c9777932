/**
 * The only entry to runs: reports, starts, cancels, lost attempts and requests for work. Requests
 * that arrive during a round are taken together by the next. A single request does not wait; under
 * load the rounds grow. Rounds run one at a time, as parallel ones would compete for the cpu.
 */
import { canBeRepeated } from '../../db/connection.ts';
import type { Pools } from '../../db/pools.ts';
import { databaseTrouble } from '../../db/trouble.ts';
import { NewEvents } from '../new-events.ts';
import { Plans } from '../plans.ts';
import { Ids } from '../tables/ids.ts';
import { inTheWay, Passed, runIsLocked } from './blocked.ts';
import { Publishing } from './publishing.ts';
import { roomIn } from './room.ts';
import { type Ground, type RoundsParts, runRound } from './round.ts';
import type { Ask, AskOutcome, RoundResult, Task, TaskOutcome, TaskResult } from './tasks.ts';
import { type OpenAsk, type Submission, unseen, type Waiting } from './waiting.ts';
import { WorkNotices } from './work-notices.ts';

/** Tasks per round. The cap limits how many a bad one can make fail, and how long a round takes. */
const mostTasks = 256;
/** Waiting workers considered per round. */
const mostAsks = 32;
/**
 * A notice may be lost with a process: after this time all waiting workers are considered again.
 */
const longestSilence_ms = 1000;
/** Pause before a locked run is tried again: at first, at most (it doubles), and in total. */
const lockedPause_ms = 5;
const longestLockedPause_ms = 200;
const lockedLimit_ms = 10_000;
/** Pause before work is tried again whose cap was held by another transaction. */
const heldPause_ms = 20;

/** The result of a kind of task. */
type ResultOf<T extends Task> = Extract<TaskResult, { of: T['do'] }>;

export class Rounds {
  readonly ground: Ground;
  readonly #publishing: Publishing;
  readonly #work: WorkNotices;
  readonly #log: RoundsParts['log'];
  readonly #metrics: RoundsParts['metrics'];
  readonly #hasRoom: () => Promise<boolean>;
  #submitted: Submission[] = [];
  /** Waiting requests for work, the longest waiting first. */
  readonly #asks = new Set<OpenAsk>();
  /** The number of hints so far that there may be work. */
  #hints = 1;
  /** The last hint after which the queue was found empty. */
  #emptySince = 0;
  #isBusy = false;
  #safety: NodeJS.Timeout | undefined;

  constructor(
    { kernelDb, engineDb, quickDb, readDb, notices }: Omit<Pools, 'db'>,
    { log, keys, storage, metrics, traces }: RoundsParts,
  ) {
    this.ground = {
      db: kernelDb,
      ids: new Ids(engineDb),
      plans: new Plans(),
      traces,
      orders: { lookups: readDb, db: engineDb, keys, storage, traces },
      newEvents: new NewEvents({ quickDb, notices }),
    };
    this.#hasRoom = roomIn(storage);
    this.#publishing = new Publishing({ ...this.ground, db: engineDb }, (result) => {
      this.#afterRound(result);
      // Ended attempts free capacity.
      this.ring();
    });
    this.#log = log;
    this.#metrics = metrics;
    this.#work = new WorkNotices(quickDb, notices, () => this.ring());
    notices.on('callers', (payload) => {
      const [kind, id] = payload.split(' ');
      if (kind === 'worker') this.#lookAgainAt(Number(id));
    });
  }

  /** Does a task in the next round. @throws the error of the task. */
  async do<T extends Task>(task: T): Promise<ResultOf<T>> {
    const [result] = await this.together([task], undefined).results;
    if (result && 'result' in result) return result.result;
    throw result?.error;
  }

  /** Does tasks and hands out work in one round. The request for work never waits for work. */
  together<T extends Task>(
    tasks: readonly T[],
    ask: Ask | undefined,
  ): {
    results: Promise<({ result: ResultOf<T> } | { error: unknown })[]>;
    answer: Promise<AskOutcome>;
  } {
    const waiting: Waiting[] = [];
    const results = tasks.map((task) => {
      const { promise, resolve, reject } = Promise.withResolvers<TaskResult>();
      waiting.push({ task, since: performance.now(), tries: 0, resolve, reject });
      return promise.then(
        (result) => ({ result: result as ResultOf<T> }),
        (error: unknown) => ({ error }),
      );
    });
    const { promise: answer, resolve, reject } = Promise.withResolvers<AskOutcome>();
    if (ask === undefined) resolve({ leases: [], standing: 'open' });
    // The caller may fail before it awaits the answer.
    answer.catch(() => {});
    const open = ask && { ...ask, ...unseen, waits: false, insists: false, resolve, reject };
    this.#submit({ tasks: waiting, ask: open });
    return { results: Promise.all(results), answer };
  }

  /** Asks for work, and waits up to `wait_ms` for it. Resolves without leases if there is none. */
  async ask(ask: Ask, wait_ms: number, signal: AbortSignal): Promise<AskOutcome> {
    if (signal.aborted) return { leases: [], standing: 'open' };
    const { promise, resolve, reject } = Promise.withResolvers<AskOutcome>();
    const waits = wait_ms > 0;
    const open: OpenAsk = { ...ask, ...unseen, waits, insists: !waits, resolve, reject };
    const stop = () => {
      // A request inside a round is answered by that round.
      open.waits = false;
      if (this.#asks.delete(open)) resolve({ leases: [], standing: 'open' });
    };
    const timer = setTimeout(stop, wait_ms);
    signal.addEventListener('abort', stop);
    if (waits && this.#emptySince === this.#hints) this.#park(open);
    else this.#submit({ tasks: [], ask: open });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  /**
   * Has a worker wait without a round, because the queue is known to be empty. Rounds with work to hand
   * out, and the look after `longestSilence_ms`, check whether it may take work.
   */
  #park(ask: OpenAsk): void {
    ask.seen = this.#hints;
    this.#asks.add(ask);
    this.#keepWatch();
  }

  /** Tells waiting workers that there may be work. */
  ring(): void {
    this.#hints += 1;
    this.#go();
  }

  /** Paused node runs may start now: wakes waiting workers here and in other processes. */
  #workMayStart(): void {
    this.ring();
    this.#work.tell();
  }

  /** Checks a waiting worker again, in case its epoch is over or it may take no more work. */
  #lookAgainAt(workerId: number): void {
    for (const ask of this.#asks) if (ask.worker_id === workerId) ask.isDoubtful = true;
    this.#go();
  }

  #submit(submission: Submission) {
    this.#submitted.push(submission);
    this.#go();
  }

  #go() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    // Lets requests of the same moment join the round.
    setImmediate(() => {
      void this.#run().finally(() => {
        this.#isBusy = false;
        this.#keepWatch();
        // Requests may have arrived at the last moment.
        if (this.#hasWork()) this.#go();
      });
    });
  }

  #hasWork(): boolean {
    if (this.#submitted.length > 0) return true;
    for (const ask of this.#asks) if (ask.seen < this.#hints || ask.isDoubtful) return true;
    return false;
  }

  async #run() {
    for (;;) {
      const { tasks, asks } = this.#take();
      if (tasks.length === 0 && asks.length === 0) return;
      await this.#attempt(tasks, asks);
    }
  }

  /** The contents of the next round. Tasks submitted together stay together. */
  #take(): { tasks: Waiting[]; asks: OpenAsk[] } {
    const tasks: Waiting[] = [];
    const asks: OpenAsk[] = [];
    const workers = new Set<number>();
    const later: Submission[] = [];
    for (const submission of this.#submitted) {
      const { ask } = submission;
      const isFull = tasks.length > 0 && tasks.length + submission.tasks.length > mostTasks;
      // Two requests for one worker would both be given the same free capacity.
      if (isFull || (ask && workers.has(ask.worker_id))) {
        later.push(submission);
        continue;
      }
      tasks.push(...submission.tasks);
      if (!ask) continue;
      asks.push(ask);
      workers.add(ask.worker_id);
    }
    this.#submitted = later;
    // Waiting workers join if more may become ready than the reporting ones can take.
    const wanted = asks.reduce((sum, { max }) => sum + max, 0);
    for (const ask of this.#asks) {
      if (asks.length >= mostAsks) break;
      const isDue = ask.seen < this.#hints || ask.isDoubtful || tasks.length > wanted;
      if (!isDue || workers.has(ask.worker_id)) continue;
      asks.push(ask);
      workers.add(ask.worker_id);
    }
    // Only the round may answer these requests.
    for (const ask of asks) this.#asks.delete(ask);
    return { tasks, asks };
  }

  /** Runs a round. If it fails as a whole it is split in halves, until only the bad task fails. */
  async #attempt(tasks: Waiting[], asks: OpenAsk[], tries = 0): Promise<void> {
    const hints = this.#hints;
    let blocked: { asks: OpenAsk[]; result: RoundResult<OpenAsk> };
    try {
      const isOpen = asks.length > 0 && (await this.#hasRoom());
      // Queued node runs that did not fit may fit into the capacity freed in this round.
      const frees = tasks.some(({ task }) => task.do === 'report' || task.do === 'give up');
      const mayHold = this.#emptySince < hints;
      const look =
        isOpen && asks.some((ask) => ask.insists || (mayHold && (frees || ask.seen < hints)));
      const result = await runRound(
        this.ground,
        tasks.map(({ task }) => task),
        isOpen ? asks : [],
        { look, without: [], publish: false },
      );
      this.#tellTasks(tasks, result);
      const left = this.#tellAsks(asks, result, hints, look);
      blocked = { asks: left, result };
    } catch (error) {
      if (canBeRepeated(error) && tries < 3) return this.#attempt(tasks, asks, tries + 1);
      if (databaseTrouble(error) === 'away' || tasks.length === 0)
        return this.#fail(tasks, asks, error);
      if (tasks.length === 1) {
        this.#fail(tasks, [], error);
        return this.#attempt([], asks);
      }
      const half = Math.ceil(tasks.length / 2);
      await this.#attempt(tasks.slice(0, half), []);
      return this.#attempt(tasks.slice(half), asks);
    }
    if (blocked.asks.length > 0) await this.#lookBehind(blocked.asks, blocked.result, hints);
  }

  /**
   * Reads the queue again without runs that are in the way, so that they do not hide the node runs
   * behind them.
   */
  async #lookBehind(asks: OpenAsk[], first: RoundResult<OpenAsk>, hints: number) {
    const passed = new Passed(first);
    let left = asks;
    while (left.length > 0) {
      const options = { look: true, without: passed.without(), publish: false };
      const result = await runRound(this.ground, [], left, options).catch((error: unknown) => {
        this.#fail([], left, error);
      });
      if (!result) return;
      this.#afterRound(result);
      const told = passed.add(result) ? result : { ...result, locked_runs: [], unpaid_runs: [] };
      left = this.#tellAsks(left, told, hints, true);
    }
    // The locked runs are usually free again soon; one that cannot be paid for tells when it can.
    if (passed.hasLocked) setTimeout(() => this.ring(), longestLockedPause_ms).unref();
  }

  #fail(tasks: Waiting[], asks: OpenAsk[], error: unknown) {
    for (const { reject } of tasks) reject(error);
    for (const { reject } of asks) reject(error);
    if (tasks.length === 0 && !databaseTrouble(error))
      this.#log.error({ err: error }, 'work could not be handed out');
  }

  #tellTasks(tasks: Waiting[], result: RoundResult<OpenAsk>) {
    const { outcomes } = result;
    for (const [at, waiting] of tasks.entries()) this.#tellTask(waiting, outcomes[at] ?? 'locked');
    this.#afterRound(result);
  }

  #tellTask(waiting: Waiting, outcome: TaskOutcome) {
    if (outcome === 'locked') this.#tryLater(waiting);
    else if ('result' in outcome) waiting.resolve(outcome.result);
    else if ('error' in outcome) waiting.reject(outcome.error);
    else {
      this.#publishing.add(outcome.apart, waiting.task).then(
        (later) => this.#tellTask(waiting, later),
        (error: unknown) => waiting.reject(error),
      );
    }
  }

  /**
   * @param hint the last one before the round.
   * @param looked whether the queue was read.
   * @returns requests without work, if runs in the way may be the reason.
   */
  #tellAsks(
    asks: OpenAsk[],
    { asks: answers, left, is_held, ...blocked }: RoundResult<OpenAsk>,
    hint: number,
    looked: boolean,
  ): OpenAsk[] {
    const isBlocked = looked && inTheWay(blocked).length > 0;
    const unserved: OpenAsk[] = [];
    for (const ask of asks) {
      const answer = answers.get(ask) ?? { leases: [], standing: 'open' as const };
      const isServed = answer.leases.length > 0 || answer.standing !== 'open';
      if (isBlocked && !isServed) unserved.push(ask);
      else if (isServed || !ask.waits) ask.resolve(answer);
      else {
        // If the queue was not read, it is known to be empty or no work may start.
        ask.seen = hint;
        ask.isDoubtful = false;
        this.#asks.add(ask);
      }
    }
    if (looked && !isBlocked) {
      // `nothing`: there is none for the other workers either. `more`: the queue must be read
      // again.
      if (left === 'nothing') this.#emptySince = hint;
      if (left === 'nothing') for (const ask of this.#asks) ask.seen = Math.max(ask.seen, hint);
      if (left === 'more') this.#hints += 1;
    }
    if (is_held && this.#asks.size > 0) setTimeout(() => this.ring(), heldPause_ms).unref();
    return unserved;
  }

  /** Wakes waiting workers, here and in other processes, for work that may start after a round. */
  #afterRound(result: Omit<RoundResult<OpenAsk>, 'asks' | 'outcomes'>) {
    const { queued, has_freed, ended, unpayable } = result;
    for (const one of unpayable)
      this.#publishing.endUnpaid(one).catch((error: unknown) => this.#fail([], [], error));
    for (const { status, seconds } of ended) {
      this.#metrics.runsFinished.inc({ status });
      this.#metrics.runSeconds.observe(seconds);
    }
    if (has_freed || queued.some(({ pause_ms }) => pause_ms === 0)) {
      this.#hints += 1;
      this.#work.tell();
    }
    const pauses = queued.map(({ pause_ms }) => pause_ms).filter((pause_ms) => pause_ms > 0);
    for (const pause_ms of new Set(pauses))
      setTimeout(() => this.#workMayStart(), pause_ms + 1).unref();
  }

  #tryLater(waiting: Waiting) {
    const { task } = waiting;
    const waited_ms = performance.now() - waiting.since;
    if (task.do === 'give up' && waited_ms > task.wait_ms)
      return waiting.resolve({ of: 'give up', is_given: false });
    if (waited_ms > lockedLimit_ms) return waiting.reject(runIsLocked());
    waiting.tries += 1;
    const pause_ms = Math.min(longestLockedPause_ms, lockedPause_ms * 2 ** waiting.tries);
    setTimeout(() => this.#submit({ tasks: [waiting], ask: undefined }), pause_ms);
  }

  #keepWatch() {
    if (this.#asks.size === 0 || this.#safety) return;
    this.#safety = setTimeout(() => {
      this.#safety = undefined;
      if (this.#asks.size > 0) this.ring();
    }, longestSilence_ms);
    this.#safety.unref();
  }
}
