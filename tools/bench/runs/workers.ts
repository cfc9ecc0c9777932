/**
 * Workers that run nothing: each asks for work, reports it as done at once, and asks again, by the
 * whole protocol over HTTP. They speak `exchange` where the server has it, else acquire and complete.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../http.ts';

export type Workers = {
  /** Reports that were accepted. */
  readonly acknowledged: number;
  /** What went wrong, each with its number. */
  readonly troubles: ReadonlyMap<string, number>;
  /**
   * Whether they ask for work; while they rest, something else can be measured. Resolves when the
   * last of them has its answer.
   */
  rest(isResting: boolean): Promise<void>;
  stop(): Promise<void>;
};

export type Order = {
  attempt_id: number;
  lease_token: string;
  run_id: number;
  node_key: string;
  /** Where its inputs go on, when they are many. */
  more_inputs?: string;
};
type Accepted = { attempt_id: number; result: string };

export type WorkerOptions = {
  /** As the admin, to enrol. */
  api: Api;
  /** As the bearer of a worker's token. */
  apiWith(token: string): Api;
  count: number;
  /** The most orders at a time. */
  max: number;
  /** Told of each report that was accepted. */
  onDone(order: Order): void;
};

export const capacity = { cpu: 64, memory_mb: 1_000_000, gpu: 0, disk_mb: 1_000_000 };
const heartbeat_ms = 10_000;

export async function startWorkers(options: WorkerOptions): Promise<Workers> {
  const { api, count, max } = options;
  const exchanges = await hasExchange(api);
  const stop = new AbortController();
  const troubles = new Map<string, number>();
  let acknowledged = 0;
  let awake: Promise<unknown> = Promise.resolve();
  let wake = () => {};
  let asleep = 0;
  const loops: Promise<void>[] = [];

  const note = (order: Order) => {
    acknowledged += 1;
    options.onDone(order);
  };
  for (let place = 0; place < count; place += 1) {
    const enrolled = await api('POST', '/workers', {
      name: `bench ${place}`,
      capacity,
      version: '1',
    });
    const own = options.apiWith(enrolled.worker_token);
    const path = `/workers/${enrolled.id}`;
    await own('POST', `${path}/heartbeat`, { attempts: [], just_started: true, capacity });
    const ask: Ask = (verb, body) => own('POST', `${path}/${verb}`, body, stop.signal);
    // What it has is in its heartbeats: what is not is taken for lost after a while.
    const held: Order[] = [];
    const hold = (orders: readonly Order[]) => void held.splice(0, held.length, ...orders);
    const work = { ask, max, note, hold };
    const turn = exchanges ? exchange(work) : acquireAndComplete(work);
    const turnWhenAwake = async () => {
      asleep += 1;
      await awake;
      asleep -= 1;
      await turn();
    };
    loops.push(repeat(turnWhenAwake, stop.signal, troubles));
    loops.push(repeat(() => beat(ask, held, stop.signal), stop.signal, troubles));
  }
  return {
    get acknowledged() {
      return acknowledged;
    },
    troubles,
    rest: async (isResting) => {
      wake();
      if (!isResting) return;
      awake = new Promise<void>((resolve) => {
        wake = resolve;
      });
      while (asleep < count) await delay(20);
    },
    stop: async () => {
      stop.abort();
      wake();
      await Promise.all(loops);
    },
  };
}

/** Whether one call may report what was done and ask for more. */
export async function hasExchange(api: Api): Promise<boolean> {
  const { paths } = await api('GET', '/openapi.json');
  return Object.keys(paths).some((path) => /^\/workers\/\{\w+\}\/exchange\/?$/.test(path));
}

type Ask = (verb: string, body: unknown) => ReturnType<Api>;
type Work = {
  ask: Ask;
  max: number;
  /** Told of each report that was accepted. */
  note(order: Order): void;
  /** Told of all that the worker has. */
  hold(orders: readonly Order[]): void;
};

/** One turn after the other until it is told to stop; one that fails is counted, and comes again. */
async function repeat(turn: () => Promise<void>, stop: AbortSignal, troubles: Map<string, number>) {
  while (!stop.aborted) {
    await turn().catch(async (error: Error) => {
      if (stop.aborted) return;
      const what = error.message.replace(/\d+/g, 'N').slice(0, 160);
      troubles.set(what, (troubles.get(what) ?? 0) + 1);
      await delay(200);
    });
  }
}

async function beat(ask: Ask, held: readonly Order[], stop: AbortSignal) {
  await delay(heartbeat_ms, undefined, { signal: stop });
  const attempts = held.map(({ attempt_id, lease_token }) => ({ attempt_id, lease_token }));
  await ask('heartbeat', { attempts });
}

/** A server of an earlier release passes over it, and names all inputs in the order. */
const inPages = '?inputs=pages';

async function readInputs(ask: Ask, { attempt_id, lease_token, more_inputs }: Order) {
  for (let start = more_inputs; start !== undefined; ) {
    const page = await ask(`attempts/${attempt_id}/inputs`, { lease_token, start });
    start = page.more_inputs;
  }
}

/** What was done last is reported by the call that asks for the next. */
function exchange({ ask, max, note, hold }: Work): () => Promise<void> {
  let done: Order[] = [];
  return async () => {
    const reports = done.map(reportOf);
    const answer = await ask(`exchange${inPages}`, {
      reports,
      free: capacity,
      max,
      wait_seconds: 5,
    });
    const byId = new Map(done.map((order) => [order.attempt_id, order]));
    done = answer.orders;
    hold(done);
    for (const order of done) await readInputs(ask, order);
    for (const { attempt_id, result } of answer.accepted as Accepted[]) {
      const order = byId.get(attempt_id);
      if (order && result === 'ok') note(order);
      else throw new Error(`A report was refused: ${JSON.stringify(result)}`);
    }
  };
}

function acquireAndComplete({ ask, max, note, hold }: Work): () => Promise<void> {
  return async () => {
    const orders = (await ask(`acquire${inPages}`, {
      free: capacity,
      max,
      wait_seconds: 5,
    })) as Order[];
    hold(orders ?? []);
    await Promise.all(
      (orders ?? []).map(async (order) => {
        await readInputs(ask, order);
        const { attempt_id, ...report } = reportOf(order);
        await ask(`attempts/${attempt_id}/complete`, report);
        note(order);
      }),
    );
  };
}

export const reportOf = ({ attempt_id, lease_token }: Order) => ({
  attempt_id,
  lease_token,
  status: 'success',
  exit_code: 0,
  outputs: [],
});
