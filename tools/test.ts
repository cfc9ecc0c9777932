/**
 * `npm test`: sets up what the tests need, checks the code, runs every test. `npm test --
 * server/src/resources/cogs/cogs.test.ts` runs single files, without the checks.
 */
import { spawn } from 'node:child_process';
import { glob, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '../server/src/db/connection.ts';
import { type EmbeddedPostgres, startEmbedded } from '../server/src/db/embedded.ts';
import { testPostgresDir } from '../server/test/database.ts';
import { buildDashboard } from './build-dashboard.ts';
import { busyboxImage, templateImages } from './containers/images.ts';
import { ensureTestTools } from './containers/setup.ts';
import { groupFiles } from './test-groups.ts';
import { throwAwaySettings } from './test-settings.ts';

const root = join(import.meta.dirname, '..');
const log = (line: string) => console.log(line);
const wanted = process.argv.slice(2);

const tools = await ensureTestTools({ install: true, browser: true, log });
if (!tools.ready) {
  log(`Tests that need more than is installed are skipped: ${tools.problem}`);
  if (tools.remedy) log(`To run them too: ${tools.remedy}`);
}
// Mostly waits for the network: meanwhile the code is checked.
const images = tools.ready ? makeImages() : Promise.resolve();
// A failure is thrown where the tests wait for it.
const made = images.catch(() => {});
await buildDashboard({ log });
const database = process.env.DATABASE_URL ? undefined : await startDatabase();
try {
  process.exitCode = wanted.length > 0 ? await nodeTests(wanted) : await everything();
} finally {
  await made;
  await database?.stop();
}

/** Before the tests, because several files need them at once. */
async function makeImages(): Promise<void> {
  await busyboxImage(log);
  await templateImages(log).catch((error: unknown) => log(`Without images: ${error}`));
}

async function everything(): Promise<number> {
  return (
    (await run('Checks', process.execPath, ['tools/check.ts'])) ||
    (await run('Dashboard units', join(root, 'node_modules/.bin/vitest'), ['run'], 'dashboard')) ||
    (await nodeTests(await testFiles()))
  );
}

async function testFiles(): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob('{graph,sdk,server,worker,cli,tools,dashboard/e2e}/**/*.test.ts', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name.endsWith('tidy.test.ts'),
  })) {
    files.push(file);
  }
  files.sort();
  // Whole programs, with signals and containers: each in a process of its own.
  const alone = files.filter((file) => /\/(faults|containers|demo)\//.test(file));
  const browser = files.filter((file) => file.startsWith('dashboard/'));
  const others = files.filter((file) => !alone.includes(file) && !browser.includes(file));
  const whole = others.filter((file) => file.startsWith('server/test/'));
  const parts = others.filter((file) => !whole.includes(file));
  const folder = join(root, '.cache', 'test-groups');
  await rm(folder, { recursive: true, force: true });
  // Slow ones first, so that no core is idle at the end while one long file runs; and those that
  // mostly wait for other programs beside those that keep a core busy.
  const busy = [...inGroups(browser, 4), ...inGroups(whole, 4), ...inGroups(parts, 12)];
  return groupFiles(alternate(inGroups(alone, 1), busy), folder, root);
}

function inGroups(files: readonly string[], size: number): string[][] {
  const count = Math.ceil(files.length / size);
  return Array.from({ length: count }, (_, at) => files.slice(at * size, (at + 1) * size));
}

function alternate<T>(some: readonly T[], others: readonly T[]): T[] {
  const longer = Math.max(some.length, others.length);
  return Array.from({ length: longer }, (_, at) => [
    ...some.slice(at, at + 1),
    ...others.slice(at, at + 1),
  ]).flat();
}

async function nodeTests(files: string[]): Promise<number> {
  await images;
  return run('Tests', process.execPath, [
    '--test',
    // More than twice as many as there are cores, because half of them mostly wait.
    '--test-concurrency=5',
    // MiB. From less, the heap of each process is searched for garbage several times while it grows.
    '--initial-old-space-size=300',
    '--test-timeout=300000',
    ...files,
  ]);
}

function run(what: string, command: string, args: string[], dir = '.'): Promise<number> {
  log(`\n── ${what}`);
  const child = spawn(command, args, {
    cwd: join(root, dir),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Starts one PostgreSQL for all files, and drops databases left by killed runs. */
async function startDatabase(): Promise<EmbeddedPostgres> {
  const server = await startEmbedded(testPostgresDir, { settings: throwAwaySettings });
  const db = connect(server.at('postgres'), { max: 1 });
  const left = await db<{ name: string }[]>`
    select datname as name from pg_database where datname ~ '^(test|template)_[0-9a-f]'
  `;
  for (const { name } of left) await db.script(`drop database if exists "${name}" with (force)`);
  await db.close();
  return server;
}
