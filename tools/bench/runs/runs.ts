/**
 * Node runs that do nothing, through the whole protocol over HTTP: what the engine costs. The driver
 * is user and eight workers in a process of its own.
 */
import { join } from 'node:path';
import type { Connection } from '../../../server/src/db/connection.ts';
import type { Beside, Figure, PartResult } from '../figures.ts';
import { lookAround, type Moment, quantile, type Rates } from '../measure.ts';
import type { Options } from '../options.ts';
import type { Peers } from '../peers.ts';
import { cpuPerOperation, type Use } from '../proc.ts';
import { type Driver, startDriver } from '../processes.ts';
import { type BenchServer, signInAsAdmin, signInAsMembers, startBenchServer } from '../server.ts';
import { type BareQueue, openBareQueue } from './bare-queue.ts';
import type { Closed, RunsTask } from './driver.ts';
import type { Done, InProcessTask } from './in-process.ts';

export const startRunsDriver = () => startDriver<RunsTask>(join(import.meta.dirname, 'driver.ts'));

/** The engine called without HTTP; of this checkout alone, because it is called as code. */
const startInProcess = () => startDriver<InProcessTask>(join(import.meta.dirname, 'in-process.ts'));

const root = join(import.meta.dirname, '../../..');
const workers = { workers: 8, max: 16 };

/** What a round is measured beside. */
type Besides = {
  queue: BareQueue;
  inProcess: Driver<InProcessTask> | undefined;
  peers: Peers;
  seconds: number;
};

export async function runs({ checkout, rounds, seconds, peers }: Options): Promise<PartResult> {
  const server = await startBenchServer(checkout);
  const driver = startRunsDriver();
  const inProcess = checkout === root ? startInProcess() : undefined;
  try {
    const token = await signInAsAdmin(server);
    const members = await signInAsMembers(server, 3);
    await driver.ask({ task: 'open', url: server.url, token, members, ...workers, files: 100 });
    const queue = await openBareQueue(server.at, workers);
    const to = server.at('cogworks');
    await inProcess?.ask({ task: 'open', dir: server.dir, to, ...workers });
    const taken: Round[] = [];
    for (let number = 1; number <= rounds; number += 1) {
      console.log(`  round ${number} of ${rounds}`);
      taken.push(await round(driver, server.pid, { queue, inProcess, peers, seconds }));
    }
    await queue.close();
    const closed = await driver.ask<Closed>({ task: 'close' });
    const inside = await inProcess?.ask<Done>({ task: 'close' });
    return {
      figures: figuresOf(taken, peers),
      costs: [
        { operation: 'a start or report, 64 chains', rounds: taken.map((one) => one.cpu.chains) },
        { operation: 'a start or report, four fan-outs', rounds: taken.map((one) => one.cpu.fans) },
      ],
      notes: await check(server, closed, inside),
    };
  } finally {
    driver.end();
    inProcess?.end();
    await server.stop();
  }
}

type Numbers = {
  chain_ms: number;
  chain_p99_ms: number;
  chains_per_s: number;
  fan_ms: number;
  node_runs_per_s: number;
};

type Round = {
  moment: Moment;
  own: Numbers;
  cpu: { chains: Use; fans: Use };
  bare_per_s: number;
  /** Node runs a second without HTTP. */
  inside_per_s: number | undefined;
  bullmq: Numbers | undefined;
  restate: Numbers | undefined;
};

/** Ours and the others' within two minutes: a machine's speed changes more from hour to hour. */
async function round(
  driver: Driver<RunsTask>,
  pid: number,
  { queue, inProcess, peers, seconds }: Besides,
): Promise<Round> {
  const moment = await lookAround();
  const short = Math.ceil(seconds / 2);
  const warm = Math.min(2, seconds);
  const alone = (graph: 'chain' | 'fan') =>
    driver.ask<number[]>({ task: 'alone', graph, warm, seconds: short });
  const chain = await alone('chain');
  // Each run is started once, and each of its node runs reported once.
  const atOnce = (task: RunsTask & { task: 'at once' }) =>
    cpuPerOperation(
      pid,
      () => driver.ask<Rates>(task),
      ({ all }) => all.ends + all.counted,
    );
  const chains = await atOnce({ task: 'at once', graph: 'chain', users: 64, warm, seconds });
  const fan = await alone('fan');
  const fans = await atOnce({ task: 'at once', graph: 'fan', users: 4, warm, seconds: short });
  await driver.ask({ task: 'rest', isResting: true });
  const inside = await inProcess?.ask<Rates>({ task: 'fans', users: 4, warm, seconds: short });
  const bare_per_s = await queue.measure(short);
  const own: Numbers = {
    chain_ms: quantile(chain, 0.5),
    chain_p99_ms: quantile(chain, 0.99),
    chains_per_s: chains.answer.per_s,
    fan_ms: quantile(fan, 0.5),
    node_runs_per_s: fans.answer.counted_per_s,
  };
  console.log(
    `  chain ${own.chain_ms.toFixed(1)} ms, ${own.chains_per_s.toFixed(0)} chains/s, 1→100→1 ${own.fan_ms.toFixed(0)} ms, ${own.node_runs_per_s.toFixed(0)} node runs/s; bare ${bare_per_s.toFixed(0)}/s`,
  );
  const bullmq = numbersOf(await peers.measure('bullmq.mjs', 'pg'), 'flow');
  const restate = numbersOf(await peers.measure('restate.mjs'), 'service_calls');
  await driver.ask({ task: 'rest', isResting: false });
  const cpu = { chains: chains.cpu, fans: fans.cpu };
  const inside_per_s = inside?.counted_per_s;
  return { moment, own, cpu, bare_per_s, inside_per_s, bullmq, restate };
}

/** What a script of the peers calls these. */
// biome-ignore lint/suspicious/noExplicitAny: the line of a script
function numbersOf(said: any, fan: string): Numbers | undefined {
  if (!said) return undefined;
  return {
    chain_ms: said.w1_latency.p50_ms,
    chain_p99_ms: said.w1_latency.p99_ms,
    chains_per_s: said.w1_chains.per_s,
    fan_ms: said.w2[fan]?.p50_ms,
    node_runs_per_s: said.w2[fan]?.node_runs_per_s,
  };
}

type Key = keyof Numbers;
type Of = 'bullmq' | 'restate';

function figuresOf(taken: Round[], peers: Peers): Figure[] {
  const beside = (of: Of, key: Key, goal?: Beside['goal']): Beside => {
    const [what, script] =
      of === 'bullmq' ? ['BullMQ on PostgreSQL', 'bullmq.mjs'] : ['Restate', 'restate.mjs'];
    const values = taken.flatMap((one) => one[of]?.[key] ?? []);
    const missing = peers.missing(script) ?? 'not said';
    return {
      what,
      // One that is missing would put the others beside the wrong round.
      rounds: values.length === taken.length ? values : [],
      ...(goal && { goal }),
      ...(values.length === taken.length ? {} : { missing }),
    };
  };
  const figure = (what: string, unit: Figure['unit'], key: Key, others: Beside[]): Figure => ({
    what,
    unit,
    rounds: taken.map((one) => one.own[key]),
    moments: taken.map((one): Moment => one.moment),
    beside: others,
  });
  return [
    figure('chain of three, alone, p50', 'ms', 'chain_ms', [
      beside('bullmq', 'chain_ms', { at_most: 0.75 }),
      beside('restate', 'chain_ms'),
    ]),
    figure('chain of three, alone, p99', 'ms', 'chain_p99_ms', [
      beside('bullmq', 'chain_p99_ms'),
      beside('restate', 'chain_p99_ms'),
    ]),
    figure('chains, 64 at once', '/s', 'chains_per_s', [
      beside('restate', 'chains_per_s', { at_least: 1.25 }),
      beside('bullmq', 'chains_per_s'),
    ]),
    figure('1 → 100 → 1, alone, p50', 'ms', 'fan_ms', [
      beside('bullmq', 'fan_ms', { at_most: 0.25 }),
      beside('restate', 'fan_ms'),
    ]),
    figure('node runs, four fan-outs at once', '/s', 'node_runs_per_s', [
      beside('bullmq', 'node_runs_per_s', { at_least: 4 }),
      beside('restate', 'node_runs_per_s'),
      {
        what: 'the same kernel in the process',
        rounds: taken.flatMap((one) => one.inside_per_s ?? []),
        goal: { at_least: 0.5 },
        ...(taken.some((one) => one.inside_per_s === undefined) && {
          missing: 'is called as code of this checkout',
        }),
      },
      { what: 'bare claim and complete', rounds: taken.map((one) => one.bare_per_s) },
    ]),
  ];
}

/** Whether everything that was acknowledged is in the database, and nothing was left behind. */
async function check(
  { db }: Pick<BenchServer, 'db'>,
  { troubles, ...outside }: Closed,
  inside: Done = { started: 0, acknowledged: 0 },
): Promise<string[]> {
  const started = outside.started + inside.started;
  const acknowledged = outside.acknowledged + inside.acknowledged;
  const [found] = await counted(db);
  const facts: [string, number | undefined, number][] = [
    ['node runs that succeeded', found?.node_runs, acknowledged],
    ['runs that succeeded', found?.runs, started],
    ['runs in another state', found?.other_runs, 0],
    ['rows left in the queue', found?.queued, 0],
  ];
  const wrong = facts.filter(([, is, should]) => is !== should);
  return [
    wrong.length === 0
      ? `checked afterwards, ${acknowledged} reports acknowledged = node runs that succeeded; ${started} runs, all ended; the queue is empty.`
      : `**wrong afterwards**: ${wrong.map(([what, is, should]) => `${what} ${is}, not ${should}`).join('; ')}.`,
    ...troubles.map(([what, times]) => `${times} × ${what}`),
  ];
}

const counted = (db: Connection) =>
  db<{ node_runs: number; runs: number; other_runs: number; queued: number }[]>`
    select (select count(*)::int from node_runs where status = 'success') as node_runs,
           (select count(*)::int from workflow_runs where status = 'success') as runs,
           (select count(*)::int from workflow_runs where status <> 'success') as other_runs,
           (select count(*)::int from ready_queue) as queued
  `;
