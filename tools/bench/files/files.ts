/**
 * Reading and writing files over HTTP. The driver, the server and its database are three processes;
 * the same driver measures each limit in the same minute.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectTo } from '../../../server/src/db/connection.ts';
import { stopInAnyCase } from '../cleanup.ts';
import { type Logged, openDatabaseLog } from '../database-log.ts';
import type { Beside, Cost, Figure, PartResult } from '../figures.ts';
import { lookAround, median, type Rates } from '../measure.ts';
import type { Options } from '../options.ts';
import type { Peers } from '../peers.ts';
import { cpuPerOperation, type Use } from '../proc.ts';
import { type Driver, startDriver } from '../processes.ts';
import { type BenchServer, signInAsAdmin, startBenchServer } from '../server.ts';
import type { FilesTask, Opened, Sent, Small } from './driver.ts';
import { type Nginx, startNginx } from './nginx.ts';
import type { PipeTask } from './pipe.ts';

const connections = 16;
const program = (name: string) => join(import.meta.dirname, name);

export async function files(options: Options): Promise<PartResult> {
  const { checkout, rounds, peers } = options;
  const folder = await mkdtemp(join(tmpdir(), 'cogworks-bench-'));
  const removeFolder = stopInAnyCase(() => rm(folder, { recursive: true, force: true }));
  const server = await startBenchServer(checkout);
  const driver = startDriver<FilesTask>(program('driver.ts'));
  const pipe = startDriver<PipeTask>(program('pipe.ts'));
  const nginx = await startNginx(folder);
  try {
    const token = await signInAsAdmin(server);
    const opened = await driver.ask<Opened>({ task: 'open', url: server.url, token });
    const scene: Scene = {
      driver,
      pid: server.pid,
      to: server.at('cogworks'),
      ...(await sqlOf(server, token, opened)),
      pipe: await pipe.ask<string>({ file: join(folder, 'large.bin') }),
      nginx,
    };
    const taken: Round[] = [];
    for (let number = 1; number <= rounds; number += 1) {
      console.log(`  round ${number} of ${rounds}`);
      taken.push(await round(scene, options));
    }
    return { figures: figuresOf(taken, peers), costs: costsOf(taken) };
  } finally {
    driver.end();
    pipe.end();
    await nginx?.stop();
    await server.stop();
    await removeFolder();
  }
}

type Scene = {
  driver: Driver<FilesTask>;
  /** The server's. */
  pid: number;
  to: ConnectTo;
  /** The statements for the first file, and for its folder. */
  getSql: Logged[];
  listSql: Logged[];
  pipe: string;
  nginx: Nginx | undefined;
};

/** Taken from the database's log, so that it works for every commit. */
async function sqlOf({ db, dir, url }: BenchServer, token: string, { ids, folder }: Opened) {
  const log = await openDatabaseLog(db, join(dir, 'postgres/postgres.log'), 'log_statement', 'all');
  const headers = { authorization: `Bearer ${token}` };
  const statementsOf = async (path: string) => {
    const ask = async () => void (await (await fetch(url + path, { headers })).arrayBuffer());
    // The first request may read more, which is then cached.
    await log.during(ask);
    return log.during(ask);
  };
  const getSql = await statementsOf(`/cogs/${ids[0]}`);
  const listSql = await statementsOf(`/cogs/?parent_id=${folder}&limit=100`);
  await log.close();
  return { getSql, listSql };
}

type Round = Awaited<ReturnType<typeof round>>;

async function round(scene: Scene, { peers, seconds, isQuick }: Options) {
  const { driver, pid, to } = scene;
  const moment = await lookAround();
  const few = { loops: connections, seconds: Math.ceil(seconds / 2) };
  const cpu: Partial<Record<Small, Use>> = {};
  const small = async (operation: Small, loops = connections) => {
    const ask = () => driver.ask<Rates>({ task: 'small', operation, ...few, loops });
    const measured = await cpuPerOperation(pid, ask, ({ all }) => all.ends);
    if (loops === connections) cpu[operation] = measured.cpu;
    return measured.answer.per_s;
  };
  const sql = (statements: Logged[]) =>
    driver.ask<number>({ task: 'statements', to: configOf(to), statements, ...few });

  const own = {
    get: await small('get'),
    list: await small('list'),
    download: await small('download'),
    upload: await small('upload'),
    upload64: await small('upload', 64),
  };
  const limits = {
    nothing: await small('nothing'),
    getSql: await sql(scene.getSql),
    listSql: await sql(scene.listSql),
  };
  console.log(`  per second: ${inWords(own)}; limits: ${inWords(limits)}`);
  const large = await largeBodies(scene, isQuick ? 64 : 512);
  console.log(`  MB per second: ${inWords(large)}`);
  return { moment, own, cpu, limits, large, pocketbase: await pocketbase(peers) };
}

const configOf = (to: ConnectTo) => ('url' in to ? { connectionString: to.url } : to);

const inWords = (numbers: Record<string, number | undefined>) =>
  Object.entries(numbers)
    .map(([name, value]) => `${name} ${value?.toFixed(0) ?? '–'}`)
    .join(', ');

async function largeBodies({ driver, pipe, nginx }: Scene, mib: number) {
  const bytes = mib * 1024 * 1024;
  const up = await driver.ask<Sent>({ task: 'send', to: 'server', bytes });
  const bare = await driver.ask<Sent>({ task: 'send', to: { url: pipe }, bytes });
  const down: number[] = [];
  const byNginx: number[] = [];
  // Half a second each: a single one would mean little.
  for (let times = 0; times < 3; times += 1) {
    const from = { cog_id: up.cog_id ?? 0 };
    down.push(await driver.ask<number>({ task: 'receive', from }));
    if (!nginx) continue;
    // The file written by the pipe.
    const url = `${nginx.url}large.bin`;
    byNginx.push(await driver.ask<number>({ task: 'receive', from: { url } }));
  }
  return {
    up: up.mb_per_s,
    pipe: bare.mb_per_s,
    down: median(down),
    nginx: nginx && median(byNginx),
  };
}

async function pocketbase(peers: Peers) {
  const said = await peers.measure('pocketbase.mjs');
  return (
    said && {
      get: said.meta_get.per_s as number,
      list: said.list_100.per_s as number,
      download: said.download_10kB.per_s as number,
      upload: said.upload_10kB.per_s as number,
    }
  );
}

const costsOf = (taken: Round[]): Cost[] =>
  (['get', 'list', 'download', 'upload', 'nothing'] as const).map((operation) => ({
    operation: operation === 'nothing' ? 'an answer without SQL' : operation,
    rounds: taken.flatMap((one) => one.cpu[operation] ?? []),
  }));

function figuresOf(taken: Round[], peers: Peers): Figure[] {
  const moments = taken.map((one) => one.moment);
  const figure = (what: string, key: keyof Round['own'], beside: Beside[]): Figure => {
    const rounds = taken.map((one) => one.own[key]);
    return { what, unit: '/s', rounds, moments, beside };
  };
  const peer = (key: 'get' | 'list' | 'download' | 'upload', at_least: number): Beside => {
    const rounds = taken.flatMap((one) => one.pocketbase?.[key] ?? []);
    const isWhole = rounds.length === taken.length;
    return {
      what: 'PocketBase',
      rounds: isWhole ? rounds : [],
      goal: { at_least },
      ...(isWhole ? {} : { missing: peers.missing('pocketbase.mjs') ?? 'not said' }),
    };
  };
  const limit = (what: string, key: keyof Round['limits'], goal?: Beside['goal']): Beside => ({
    what,
    rounds: taken.map((one) => one.limits[key]),
    ...(goal && { goal }),
  });
  const half = { at_least: 0.5 };
  return [
    figure('get, 16 connections', 'get', [
      peer('get', 1),
      limit('no SQL (/healthz)', 'nothing', half),
      limit('the same SQL, bare driver', 'getSql'),
    ]),
    figure('list of 100, 16 connections', 'list', [
      peer('list', 1),
      limit('the same SQL, bare driver', 'listSql', half),
    ]),
    figure('download 10 kB, 16 connections', 'download', [peer('download', 1)]),
    figure('upload 10 kB, 16 connections', 'upload', [peer('upload', 0.7)]),
    figure('upload 10 kB, 64 connections', 'upload64', []),
    ...largeFigures(taken),
  ];
}

function largeFigures(taken: Round[]): Figure[] {
  const moments = taken.map((one) => one.moment);
  const of = (key: keyof Round['large']) => taken.flatMap((one) => one.large[key] ?? []);
  const nginx = of('nginx');
  return [
    {
      ...{ what: 'upload 512 MB', unit: 'MB/s', rounds: of('up'), moments },
      beside: [{ what: 'bare pipe with SHA-256', rounds: of('pipe'), goal: { at_least: 0.9 } }],
    },
    {
      ...{ what: 'download 512 MB', unit: 'MB/s', rounds: of('down'), moments },
      beside: [
        {
          ...{ what: 'nginx', rounds: nginx, goal: { at_least: 1 } },
          ...(nginx.length > 0 ? {} : { missing: 'not installed' }),
        },
      ],
    },
  ];
}
