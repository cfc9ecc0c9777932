/**
 * The one door to runs: reports, starts, cancels, lost attempts and questions for work come in here.
 * What comes while a round is under way is taken together by the next; alone nobody waits, and under
 * load the rounds grow by themselves. One round at a time: two would wait for each other's cpu.
 */
import type { Logger } from 'pino';
import { sqlState } from '../../db/connection.ts';
import type { Pools } from '../../db/pools.ts';
import { databaseTrouble } from '../../db/trouble.ts';
import { DomainError } from '../../errors.ts';
import type { Keys } from '../../keys/keys.ts';
import type { Storage } from '../../storage/storage.ts';
import { NewEvents } from '../new-events.ts';
import { Plans } from '../plans.ts';
import { Ids } from '../tables/ids.ts';
import { Publishing } from './publishing.ts';
import { roomIn } from './room.ts';
import { type Ground, runRound } from './round.ts';
import type { Ask, AskOutcome, RoundResult, Task, TaskOutcome, TaskResult } from './tasks.ts';
import { WorkNotices } from './work-notices.ts';

/** In one round. A cap bounds what a single bad one can make fail, and how long a round takes. */
const mostTasks = 256;
/** Of workers that wait, how many are looked at in one round. */
const mostAsks = 32;
/** A hint may get lost with a process: this is how long until all who wait are looked at again. */
const longestSilence_ms = 1000;
/** Until a run that somebody has locked is tried again, twice as long each time, and for how long. */
const lockedPause_ms = 5;
const longestLockedPause_ms = 200;
const lockedLimit_ms = 10_000;
/** How often the queue is looked at without the runs that were locked. */
const mostLooksBehind = 4;

type Waiting<T extends Task = Task> = {
  task: T;
  since: number;
  /** How often its run was locked. */
  tries: number;
  resolve: (result: TaskResult) => void;
  reject: (error: unknown) => void;
};

type OpenAsk = Ask & {
  /** It goes on waiting after a round that had nothing for it. */
  waits: boolean;
  /** The queue is looked at for it, though it may be known to hold nothing. */
  insists: boolean;
  /** The last hint that it was looked at for. */
  seen: number;
  /** Whether its worker may still take work has to be looked at again. */
  isDoubtful: boolean;
  resolve: (outcome: AskOutcome) => void;
  reject: (error: unknown) => void;
};

/** Of a question that has just come. */
const unseen = { seen: 0, isDoubtful: false };

type Submission = { tasks: Waiting[]; ask: OpenAsk | undefined };

/** The result of a kind of task. */
type ResultOf<T extends Task> = Extract<TaskResult, { of: T['do'] }>;

export class Rounds {
  readonly ground: Ground;
  readonly #publishing: Publishing;
  readonly #work: WorkNotices;
  readonly #log: Pick<Logger, 'error'>;
  readonly #hasRoom: () => Promise<boolean>;
  #submitted: Submission[] = [];
  /** Who waits for work, who has waited longest first. */
  readonly #asks = new Set<OpenAsk>();
  /** Counts hints that there may be work. */
  #hints = 1;
  /** The last hint after which the queue was found to hold nothing. */
  #emptySince = 0;
  #isBusy = false;
  #safety: NodeJS.Timeout | undefined;

  constructor(
    { kernelDb, engineDb, quickDb, readDb, notices }: Omit<Pools, 'db'>,
    { log, keys, storage }: { log: Pick<Logger, 'error'>; keys: Keys; storage: Storage },
  ) {
    this.ground = {
      db: kernelDb,
      ids: new Ids(engineDb),
      plans: new Plans(),
      orders: { lookups: readDb, db: engineDb, keys, storage },
      newEvents: new NewEvents({ quickDb, notices }),
    };
    this.#hasRoom = roomIn(storage);
    this.#publishing = new Publishing({ ...this.ground, db: engineDb }, (queued) => {
      this.#afterQueueing(queued);
      // What has ended leaves room.
      this.ring();
    });
    this.#log = log;
    this.#work = new WorkNotices(quickDb, notices, () => this.ring());
    notices.on('callers', (payload) => {
      const [kind, id] = payload.split(' ');
      if (kind === 'worker') this.#lookAgainAt(Number(id));
    });
  }

  /** Does a task in the next round. @throws what became of it. */
  async do<T extends Task>(task: T): Promise<ResultOf<T>> {
    const [result] = await this.together([task], undefined).results;
    if (result && 'result' in result) return result.result;
    throw result?.error;
  }

  /**
   * Does tasks in one round, and hands out work in the same one, as far as there is any: to who
   * reports nobody says "wait".
   */
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
    // Whoever waits for the results first may never come to it.
    answer.catch(() => {});
    const open = ask && { ...ask, ...unseen, waits: false, insists: false, resolve, reject };
    this.#submit({ tasks: waiting, ask: open });
    return { results: Promise.all(results), answer };
  }

  /** Asks for work, and waits for some up to `wait_ms`. Without any it resolves with none. */
  async ask(ask: Ask, wait_ms: number, signal: AbortSignal): Promise<AskOutcome> {
    if (signal.aborted) return { leases: [], standing: 'open' };
    const { promise, resolve, reject } = Promise.withResolvers<AskOutcome>();
    const waits = wait_ms > 0;
    const open: OpenAsk = { ...ask, ...unseen, waits, insists: !waits, resolve, reject };
    const stop = () => {
      // One that is in a round is answered by that.
      open.waits = false;
      if (this.#asks.delete(open)) resolve({ leases: [], standing: 'open' });
    };
    const timer = setTimeout(stop, wait_ms);
    signal.addEventListener('abort', stop);
    this.#submit({ tasks: [], ask: open });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  /** There may be work for those who wait. */
  ring(): void {
    this.#hints += 1;
    this.#go();
  }

  /** Work that waited may start: tells those who ask, here and in other processes. */
  #workMayStart(): void {
    this.ring();
    this.#work.tell();
  }

  /** Who asks with an epoch that is over, or is to take no more, hears of it. */
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
    // What is asked in the same moment comes along.
    setImmediate(() => {
      void this.#run().finally(() => {
        this.#isBusy = false;
        this.#keepWatch();
        // Something may have come at the last moment.
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

  /** What the next round does. What was submitted together stays together. */
  #take(): { tasks: Waiting[]; asks: OpenAsk[] } {
    const tasks: Waiting[] = [];
    const asks: OpenAsk[] = [];
    const workers = new Set<number>();
    const later: Submission[] = [];
    for (const submission of this.#submitted) {
      const { ask } = submission;
      const isFull = tasks.length > 0 && tasks.length + submission.tasks.length > mostTasks;
      // Two that ask for one worker would be given the same room.
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
    // Those who report take what follows; who waits comes in where that may be more than they take.
    const wanted = asks.reduce((sum, { max }) => sum + max, 0);
    for (const ask of this.#asks) {
      if (asks.length >= mostAsks) break;
      const isDue = ask.seen < this.#hints || ask.isDoubtful || tasks.length > wanted;
      if (!isDue || workers.has(ask.worker_id)) continue;
      asks.push(ask);
      workers.add(ask.worker_id);
    }
    // While they are in a round nobody else answers them.
    for (const ask of asks) this.#asks.delete(ask);
    return { tasks, asks };
  }

  /** One that fails as a whole is tried in halves, so that only what is bad gets its error. */
  async #attempt(tasks: Waiting[], asks: OpenAsk[], tries = 0): Promise<void> {
    const hints = this.#hints;
    let blocked: { asks: OpenAsk[]; runs: number[] };
    try {
      const isOpen = asks.length > 0 && (await this.#hasRoom());
      // What did not fit before may fit into what ends now.
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
      blocked = { asks: left, runs: result.locked_runs };
    } catch (error) {
      if (isDeadlock(error) && tries < 3) return this.#attempt(tasks, asks, tries + 1);
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
    if (blocked.asks.length > 0) await this.#lookBehind(blocked.asks, new Set(blocked.runs), hints);
  }

  /** Runs that somebody has locked must not hide what is behind them in the queue. */
  async #lookBehind(asks: OpenAsk[], locked: Set<number>, hints: number) {
    let left = asks;
    for (let tries = 0; left.length > 0; tries += 1) {
      const isLast = tries === mostLooksBehind;
      const options = { look: true, without: isLast ? [] : [...locked], publish: false };
      const result = await runRound(this.ground, [], left, options).catch((error: unknown) => {
        this.#fail([], left, error);
      });
      if (!result) return;
      for (const id of result.locked_runs) locked.add(id);
      const isDone = isLast || result.locked_runs.length === 0;
      left = this.#tellAsks(left, isDone ? { ...result, locked_runs: [] } : result, hints, true);
    }
    // They are free in a moment.
    setTimeout(() => this.ring(), longestLockedPause_ms).unref();
  }

  #fail(tasks: Waiting[], asks: OpenAsk[], error: unknown) {
    for (const { reject } of tasks) reject(error);
    for (const { reject } of asks) reject(error);
    if (tasks.length === 0 && !databaseTrouble(error))
      this.#log.error({ err: error }, 'work could not be handed out');
  }

  #tellTasks(tasks: Waiting[], { outcomes, queued }: RoundResult<OpenAsk>) {
    for (const [at, waiting] of tasks.entries()) this.#tellTask(waiting, outcomes[at] ?? 'locked');
    this.#afterQueueing(queued);
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
   * @param looked whether the queue was looked at.
   * @returns those who have got nothing while runs were locked.
   */
  #tellAsks(
    asks: OpenAsk[],
    { asks: answers, locked_runs, left }: RoundResult<OpenAsk>,
    hint: number,
    looked: boolean,
  ): OpenAsk[] {
    const isBlocked = looked && locked_runs.length > 0;
    const unserved: OpenAsk[] = [];
    for (const ask of asks) {
      const answer = answers.get(ask) ?? { leases: [], standing: 'open' as const };
      const isServed = answer.leases.length > 0 || answer.standing !== 'open';
      if (isBlocked && !isServed) unserved.push(ask);
      else if (isServed || !ask.waits) ask.resolve(answer);
      else {
        // Where the queue was not looked at, it is known to hold nothing, or nothing may start.
        ask.seen = hint;
        ask.isDoubtful = false;
        this.#asks.add(ask);
      }
    }
    if (looked && !isBlocked) {
      // Nothing is there for the others either, or more than was looked at.
      if (left === 'nothing') this.#emptySince = hint;
      if (left === 'nothing') for (const ask of this.#asks) ask.seen = Math.max(ask.seen, hint);
      if (left === 'more') this.#hints += 1;
    }
    return unserved;
  }

  #afterQueueing(queued: readonly { pause_ms: number }[]) {
    if (queued.length === 0) return;
    if (queued.some(({ pause_ms }) => pause_ms === 0)) {
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

const isDeadlock = (error: unknown) => ['40P01', '40001'].includes(sqlState(error) ?? '');

const runIsLocked = () =>
  new DomainError('unavailable', 'This run is being changed for long. Try again.', {
    code: 'run_locked',
    retry_after_seconds: 2,
  });
