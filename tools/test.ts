/**
 * `npm test`: sets up what the tests need, checks the code, runs every test. `npm test --
 * server/src/resources/cogs/cogs.test.ts` runs single files, without the checks; options before them
 * are those of `node --test`, such as `--test-name-pattern=upload`. After `^` in a pattern comes the
 * name of a suite or of a test, not both.
 */
import { spawn } from 'node:child_process';
import { glob, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { connect } from '../server/src/db/connection.ts';
import { type EmbeddedPostgres, startEmbedded } from '../server/src/db/embedded.ts';
import { testPostgresDir } from '../server/test/database.ts';
import { newDatabases } from '../server/test/new-database.ts';
import { buildDashboard } from './build-dashboard.ts';
import { busyboxImage, templateImages } from './containers/images.ts';
import { ensureTestTools } from './containers/setup.ts';
import { type TestFiles, writeProcesses } from './test-queue.ts';
import { throwAwaySettings } from './test-settings.ts';

const root = join(import.meta.dirname, '..');
const log = (line: string) => console.log(line);
const options = process.argv.slice(2).filter((word) => word.startsWith('-'));
const wanted = await filesOf(process.argv.slice(2).filter((word) => !word.startsWith('-')));
/** One more than two cores: with more, each takes longer and all of them no less. */
const atOnce = 3;
/** A folder for each run that is under way. */
const processes = join(root, '.cache', 'test-processes');

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
  process.exitCode = wanted.length > 0 ? await nodeTests(split(wanted)) : await everything();
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

/** @param words paths or patterns. */
async function filesOf(words: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const word of words) {
    const before = files.length;
    for await (const file of glob(relative(root, word), { cwd: root })) files.push(file);
    if (files.length > before) continue;
    console.error(`There is no test file ${word}.`);
    process.exit(1);
  }
  return files;
}

async function testFiles(): Promise<TestFiles> {
  const files: string[] = [];
  for await (const file of glob('{graph,sdk,server,worker,cli,tools,dashboard/e2e}/**/*.test.ts', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name.endsWith('tidy.test.ts'),
  })) {
    files.push(file);
  }
  return split(files.sort());
}

function split(files: readonly string[]): TestFiles {
  // Whole programs, with signals and containers: each in a process of its own.
  const alone = files.filter((file) => /\/(faults|containers|demo)\//.test(file));
  const browser = files.filter((file) => file.startsWith('dashboard/'));
  const others = files.filter((file) => !alone.includes(file) && !browser.includes(file));
  const whole = others.filter((file) => file.startsWith('server/test/'));
  const parts = others.filter((file) => !whole.includes(file));
  // Slow ones first, so that no core is idle at the end while one long file runs.
  return { queue: [...browser, ...whole, ...parts], alone };
}

async function nodeTests(files: TestFiles): Promise<number> {
  await mkdir(processes, { recursive: true });
  const folder = await mkdtemp(join(processes, 'of-'));
  try {
    const isByName = options.some((option) => option.includes('-pattern'));
    const written = await writeProcesses(files, { atOnce, folder, root, isByName });
    await images;
    return await run('Tests', process.execPath, [
      '--test',
      `--test-concurrency=${atOnce}`,
      // MiB. From less, the heap of each process is searched for garbage several times while it grows.
      '--initial-old-space-size=300',
      // More than a test waits for one thing (server/test/until.ts).
      '--test-timeout=1200000',
      ...options,
      ...written,
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
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

/** Starts one PostgreSQL for all files, and removes databases left by earlier runs. */
async function startDatabase(): Promise<EmbeddedPostgres> {
  // Refuses while another `npm test` of this folder runs.
  const server = await startEmbedded(testPostgresDir, { settings: throwAwaySettings });
  await rm(newDatabases, { recursive: true, force: true });
  const db = connect(server.at('postgres'), { max: 1 });
  const left = await db<{ name: string }[]>`
    select datname as name from pg_database where datname ~ '^(test|template)_[0-9a-f]'
  `;
  for (const { name } of left) await db.script(`drop database if exists "${name}" with (force)`);
  await db.close();
  return server;
}
