/**
 * A few threads for work that would block the event loop: checking users' input. Each runs one task
 * at a time. An owner has at most one thread at a time, and owners take turns, so that no task
 * waits for more than one task of each other owner.
 */
import { Worker } from 'node:worker_threads';
import { DomainError, type FieldFault, type Problem, unprocessable } from './errors.ts';

export type Threads<Work extends Record<string, (input: never) => unknown>> = {
  /**
   * Runs a task of the thread's module.
   *
   * @param owner a tenant, for fairness.
   * @throws DomainError the error of the task; 422 `too_costly` if it uses too much time or memory;
   *   503 if it gets no core; 429 if the owner has many tasks waiting.
   */
  run<Name extends keyof Work & string>(
    owner: number,
    name: Name,
    input: Parameters<Work[Name]>[0],
  ): Promise<ReturnType<Work[Name]>>;
  close(): Promise<void>;
};

type Options = {
  /** Maximum number; threads are started on demand. */
  count?: number;
  /** A task that computes longer than this is ended, with its thread. */
  timeout_ms?: number;
  /** A task that gets no core is ended after this many times `timeout_ms`. */
  patience?: number;
  memory_mb?: number;
};

/** A message from a thread about its task. */
export type Outcome =
  // Sent first, when the thread has loaded its module.
  | { ready: true }
  | { result: unknown }
  | { refusal: { problem: Problem; message: string; fields?: FieldFault[]; more_faults: number } }
  | { fault: string };

type Task = {
  owner: number;
  name: string;
  input: unknown;
  resolve(result: unknown): void;
  reject(error: Error): void;
};

const mostWaiting = 20;

/** @param file the module that the threads run; it calls `serve` of thread.ts. */
export function openThreads<Work extends Record<string, (input: never) => unknown>>(
  file: URL,
  { count = 2, timeout_ms = 5000, patience = 4, memory_mb = 256 }: Options = {},
): Threads<Work> {
  const waiting = new Map<number, Task[]>();
  const busy = new Map<Worker, number>();
  const idle: Worker[] = [];
  const ready = new WeakSet<Worker>();
  const starved = new WeakSet<Worker>();
  let closed = false;

  function next() {
    while (!closed && (idle.length > 0 || busy.size < count)) {
      const task = takeTask();
      if (!task) return;
      const worker = idle.pop() ?? start();
      busy.set(worker, task.owner);
      work(worker, task);
    }
  }

  /** The next task of the owner whose turn it is and who has no thread. */
  function takeTask(): Task | undefined {
    const running = new Set(busy.values());
    for (const [owner, tasks] of waiting) {
      if (running.has(owner)) continue;
      const task = tasks.shift();
      // Moves the owner to the end of the line, with its remaining tasks.
      waiting.delete(owner);
      if (tasks.length > 0) waiting.set(owner, tasks);
      return task;
    }
    return undefined;
  }

  function start() {
    const worker = new Worker(file, {
      resourceLimits: { maxOldGenerationSizeMb: memory_mb, stackSizeMb: 4 },
      // Threads do not need our environment, which holds keys.
      env: {},
    });
    worker.unref();
    // Out of memory emits `error` and then `exit`; a timeout emits only `exit`.
    worker.on('error', () => {});
    worker.on('exit', () => {
      const place = idle.indexOf(worker);
      if (place >= 0) idle.splice(place, 1);
    });
    return worker;
  }

  function work(worker: Worker, task: Task) {
    let stopWatch = () => {};
    const begin = () => {
      ready.add(worker);
      stopWatch = endAfter(worker, { timeout_ms, patience }, () => starved.add(worker));
    };
    const end = (isAlive: boolean, settle: () => void) => {
      stopWatch();
      worker.off('message', onMessage).off('exit', onExit).unref();
      busy.delete(worker);
      if (isAlive && !closed) idle.push(worker);
      settle();
      next();
    };
    const onMessage = (outcome: Outcome) =>
      'ready' in outcome ? begin() : end(true, () => settle(task, outcome));
    const onExit = () => end(false, () => task.reject(reasonOf(worker)));
    // A new thread first loads its module, which does not count as the task's time.
    if (ready.has(worker)) begin();
    worker.on('message', onMessage).on('exit', onExit).ref();
    worker.postMessage({ name: task.name, input: task.input });
  }

  function reasonOf(worker: Worker): Error {
    if (closed) return stopped();
    if (starved.has(worker)) return tooBusy();
    return ready.has(worker) ? tooCostly() : new Error(`No thread starts for ${file.pathname}.`);
  }

  return {
    run: (owner, name, input) =>
      new Promise<never>((resolve, reject) => {
        const task = { owner, name, input, resolve: resolve as Task['resolve'], reject };
        const tasks = waiting.get(owner) ?? [];
        if (closed) return reject(stopped());
        if (tasks.length >= mostWaiting) return reject(tooMany());
        tasks.push(task);
        waiting.set(owner, tasks);
        next();
      }),
    async close() {
      closed = true;
      for (const task of [...waiting.values()].flat()) task.reject(stopped());
      waiting.clear();
      await Promise.all([...busy.keys(), ...idle].map((worker) => worker.terminate()));
    },
  };
}

/**
 * Ends the thread when it has computed for this long from now on, checking once in that time; or
 * when it has had no core for too long, after a call of `onStarved`.
 *
 * @returns a function that stops the watch.
 */
function endAfter(
  worker: Worker,
  { timeout_ms, patience }: Required<Pick<Options, 'timeout_ms' | 'patience'>>,
  onStarved: () => unknown,
): () => void {
  // It answers as soon as the thread can be interrupted, which JSON.parse does not allow.
  const computed_ms = () =>
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000,
      () => 0,
    );
  const before = computed_ms();
  let isWatching = true;
  let looks = 0;
  const timer = setInterval(async () => {
    looks += 1;
    if (looks === patience) onStarved();
    const isOver = looks === patience || (await computed_ms()) - (await before) > 0.9 * timeout_ms;
    if (isOver && isWatching) await worker.terminate();
  }, timeout_ms);
  return () => {
    isWatching = false;
    clearInterval(timer);
  };
}

function settle({ resolve, reject }: Task, outcome: Exclude<Outcome, { ready: true }>) {
  if ('result' in outcome) resolve(outcome.result);
  else if ('refusal' in outcome) {
    const { problem, message, ...rest } = outcome.refusal;
    reject(new DomainError(problem, message, rest));
  } else reject(new Error(outcome.fault));
}

const stopped = () => new DomainError('unavailable', 'The server is stopping.');

const tooCostly = () =>
  unprocessable({
    loc: ['graph'],
    msg: 'Checking this takes too much time or memory. Make the graph smaller or its params simpler.',
    type: 'too_costly',
  });

const tooBusy = () =>
  new DomainError('unavailable', 'The server is too busy to check this. Try again in 30 s.', {
    code: 'took_too_long',
    retry_after_seconds: 30,
  });

const tooMany = () =>
  new DomainError('too_many_requests', 'Too many graphs are being checked. Try again in 5 s.', {
    retry_after_seconds: 5,
  });
