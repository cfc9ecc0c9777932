/**
 * `npm run bench -- scale [--checkout DIR] [--cogs N] [--node-runs N] [--only TEXT]`: how the database
 * goes through what is asked of an installation that is large already, told by
 * auto_explain. It prints what looks at more pages than it answers rows, with the reason.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { connect } from '../../../server/src/db/connection.ts';
import { startEmbedded } from '../../../server/src/db/embedded.ts';
import { stopInAnyCase } from '../cleanup.ts';
import { openDatabaseLog } from '../database-log.ts';
import { apiOf } from '../http.ts';
import { operationsOf } from '../operations.ts';
import { type BenchServer, signInAsAdmin, signInAsMembers, startBenchServer } from '../server.ts';
import { openTripCounter } from '../trips.ts';
import { fill } from './fill.ts';
import { fillQueue } from './fill-queue.ts';
import { type Look, looksAt, looksAtQueue } from './looks.ts';
import { type Judged, judge, plansIn, worstOf } from './plans.ts';

/** A statement that looks at more pages than this is printed whatever else it does. */
const manyPages = 200;

const explaining = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  // What foreign keys look for is a statement of its own.
  'auto_explain.log_nested_statements': 'on',
};

/** Measures and prints. @param args of the command line. */
export async function scale(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      checkout: { type: 'string', default: '.' },
      cogs: { type: 'string', default: '1000000' },
      'node-runs': { type: 'string', default: '10000000' },
      only: { type: 'string', default: '' },
    },
  });
  const sizes = { tenants: 20, cogs: Number(values.cogs), nodeRuns: Number(values['node-runs']) };
  const database = await openExplained();
  try {
    const env = { DATABASE_URL: database.url };
    const server = await startBenchServer(resolve(values.checkout), { env });
    try {
      const admin = await signInAsAdmin(server);
      const [member = ''] = await signInAsMembers(server, 1);
      const operations = await operationsOf(server.url, admin);
      await startFan(server, admin);
      await fill(server.db, sizes, (name, seconds) =>
        console.log(`  ${name}: ${seconds.toFixed(0)} s`),
      );
      const looks = [...operations, ...(await looksAt(server.db, server.url, { admin, member }))];
      await lookAt(
        server,
        database.log,
        looks.filter(({ name }) => name.includes(values.only)),
      );
      await tellUnused(server);
      await fillQueue(server.db, { rows: sizes.nodeRuns / 20, tenants: 1000 });
      await lookAt(server, database.log, await looksAtQueue(server.url, admin));
    } finally {
      await server.stop();
    }
  } finally {
    await database.close();
  }
}

async function openExplained() {
  const folder = await mkdtemp(join(tmpdir(), 'cogworks-bench-'));
  const database = await startEmbedded(folder, { settings: explaining });
  const stop = stopInAnyCase(async () => {
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const owner = connect(database.at('postgres'), { max: 1 });
  await owner.script('create database cogworks');
  await owner.close();
  const to = database.at('cogworks');
  if ('url' in to) throw new Error('An embedded database listens on a socket.');
  const { user, password, host, port } = to;
  // It listens on a socket alone, and a server takes an address.
  const relay = await openTripCounter(join(host, `.s.PGSQL.${port}`));
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${relay.port}/cogworks`,
    log: join(folder, 'postgres.log'),
    close: async () => {
      relay.close();
      await stop();
    },
  };
}

/** A graph is kept with its first run; the others are filled in. */
async function startFan(server: BenchServer, token: string) {
  const [{ version, file } = { version: 0, file: 0 }] = await server.db<
    { version: number; file: number }[]
  >`
    select latest_version_id as version, (select max(id) from cogs where cog_type = 'file') as file
    from workflows where name = 'Fan'
  `;
  const path = `/workflows/workflow-versions/${version}/run`;
  await apiOf(server.url, token)('POST', path, { cog_ids: [file] });
}

/** Has each done once, and prints how the database went through it. */
export async function lookAt(
  server: Pick<BenchServer, 'db'>,
  file: string,
  looks: readonly Look[],
) {
  const log = await openDatabaseLog(server.db, file, 'auto_explain.log_min_duration', '0');
  for (const look of looks) tell(look.name, await judgedOf(look, log));
  await log.close();
}

async function judgedOf(look: Look, log: Awaited<ReturnType<typeof openDatabaseLog>>) {
  const work = await look.prepare();
  // What the preparation leaves to be done is waited for.
  await log.textDuring(async () => {});
  return plansIn(await log.textDuring(work)).map(judge);
}

function tell(name: string, judged: readonly Judged[]) {
  const sum = (of: (one: Judged) => number) => judged.reduce((all, one) => all + of(one), 0);
  console.log(
    `${name}: ${judged.length} statements, ${sum(({ pages }) => pages)} pages, ${sum(({ ms }) => ms).toFixed(1)} ms`,
  );
  for (const { text, ms, pages, rows, findings, times } of worstOf(judged)) {
    if (findings.length === 0 && pages < manyPages) continue;
    console.log(
      `    ${pages} pages, ${rows} rows, ${ms.toFixed(1)} ms, ${times} ×: ${text.slice(0, 160)}`,
    );
    for (const finding of findings) console.log(`      ${finding}`);
  }
}

/** Indexes that none of this has used, though what they are for is unique elsewhere. */
async function tellUnused({ db }: Pick<BenchServer, 'db'>) {
  const rows = await db<{ name: string; size: string; place: string }[]>`
    select indexrelname as name, relname as place, pg_size_pretty(pg_relation_size(indexrelid)) as size
    from pg_stat_user_indexes
    join pg_index using (indexrelid)
    where idx_scan = 0 and not indisunique
    order by pg_relation_size(indexrelid) desc
  `;
  console.log('Indexes that were not used:');
  for (const { name, place, size } of rows) console.log(`    ${name} on ${place}, ${size}`);
}
