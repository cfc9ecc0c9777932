/**
 * How many statements and round trips one operation takes when nothing else happens. The server has
 * its database as an external one, with a counter of trips between; statements are counted in the
 * database's log. Each operation is counted several times, and the median taken: the server's own
 * clockwork comes between now and then.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../server/src/db/connection.ts';
import { startEmbedded } from '../../server/src/db/embedded.ts';
import { stopInAnyCase } from './cleanup.ts';
import { type DatabaseLog, type Logged, openDatabaseLog } from './database-log.ts';
import type { Count, PartResult } from './figures.ts';
import { median } from './measure.ts';
import { type Operation, operationsOf } from './operations.ts';
import type { Options } from './options.ts';
import { signInAsAdmin, startBenchServer } from './server.ts';
import { openTripCounter, type TripCounter } from './trips.ts';

export async function statements({ checkout, isQuick, show }: Options): Promise<PartResult> {
  const database = await openCounted();
  try {
    const server = await startBenchServer(checkout, { env: { DATABASE_URL: database.url } });
    try {
      const counts: Count[] = [];
      for (const operation of await operationsOf(server.url, await signInAsAdmin(server))) {
        counts.push(await count(database, operation, isQuick ? 3 : 11, show));
      }
      return { counts };
    } finally {
      await server.stop();
    }
  } finally {
    await database.close();
  }
}

type Counted = { url: string; log: DatabaseLog; counter: TripCounter; close(): Promise<void> };

/** An empty database of its own, with everything that is sent to it in its log. */
async function openCounted(): Promise<Counted> {
  const folder = await mkdtemp(join(tmpdir(), 'cogworks-bench-'));
  const database = await startEmbedded(folder);
  const stop = stopInAnyCase(async () => {
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const owner = connect(database.at('postgres'), { max: 1 });
  await owner.script('create database cogworks');
  const log = await openDatabaseLog(owner, join(folder, 'postgres.log'), 'log_statement', 'all');
  await owner.close();
  const to = database.at('cogworks');
  if ('url' in to) throw new Error('An embedded database listens on a socket.');
  const counter = await openTripCounter(join(to.host, `.s.PGSQL.${to.port}`));
  return {
    url: `postgres://${to.user}:${to.password}@127.0.0.1:${counter.port}/${to.database}`,
    log,
    counter,
    close: async () => {
      counter.close();
      await stop();
    },
  };
}

async function count(
  { log, counter }: Counted,
  { name, budget, prepare }: Operation,
  times: number,
  show: string | undefined,
): Promise<Count> {
  const taken: { statements: number; trips: number }[] = [];
  let last: Logged[] = [];
  for (let time = 0; time < times; time += 1) {
    const work = await prepare();
    // What the preparation leaves to be done is waited for.
    await log.during(async () => {});
    const before = counter.trips;
    last = await log.during(work);
    taken.push({ statements: last.length, trips: counter.trips - before });
  }
  const of = (key: 'statements' | 'trips') => median(taken.map((one) => one[key]));
  const made = { operation: name, statements: of('statements'), trips: of('trips') };
  console.log(`  ${name}: ${made.statements} statements, ${made.trips} trips`);
  if (show === name) for (const { text } of last) console.log(`${text}\n`);
  return { ...made, ...(budget && { budget }) };
}
