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
await buildDashboard({ log });
// Before the tests, because several files need them at once.
if (tools.ready) {
  await busyboxImage(log);
  await templateImages(log).catch((error: unknown) => log(`Without images: ${error}`));
}
const database = process.env.DATABASE_URL ? undefined : await startDatabase();
try {
  process.exitCode = wanted.length > 0 ? await nodeTests(wanted) : await everything();
} finally {
  await database?.stop();
}

async function everything(): Promise<number> {
  return (
    (await run('Checks', process.execPath, ['tools/check.ts'])) ||
    (await run('Dashboard units', join(root, 'node_modules/.bin/vitest'), ['run'], 'dashboard')) ||
    (await nodeTests(await testFiles()))
  );
}

/** Slow ones first, so that no core is idle at the end while one long file runs. */
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
  const folder = join(root, '.cache', 'test-groups');
  await rm(folder, { recursive: true, force: true });
  return [
    ...alone,
    ...(await groupFiles(browser, 3, join(folder, 'browser'), root)),
    ...(await groupFiles(others, 6, join(folder, 'others'), root)),
  ];
}

function nodeTests(files: string[]) {
  return run('Tests', process.execPath, [
    '--test',
    // Twice as many as there are cores: for a quarter of the time two tests, or three, only wait.
    '--test-concurrency=4',
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
