/** The demo as a user would start it: its own server, real containers, nothing prepared. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isTerminal } from '@cogworks/sdk/runs';
import { wait } from '@cogworks/sdk/wait';
import { openEngine, removeEngine } from '../../worker/src/containers/engine.ts';
import { documentsImage } from '../containers/images.ts';
import { ensureTestTools } from '../containers/setup.ts';
import { revokeKey, signIn } from './sign-in.ts';

const root = join(import.meta.dirname, '../..');
const folder = await mkdtemp(join(tmpdir(), 'cogworks-demo-'));
const dataDir = join(folder, 'data');
const isolated = Object.entries(process.env).filter(
  ([name]) => !/^(COGWORKS_|DATABASE_URL|ADMIN_|RATE_LIMIT_|BASE_URL|HOST|NODE_TEST)/.test(name),
);
const env = {
  ...Object.fromEntries(isolated),
  ...{ COGWORKS_ROOT: root, DATA_DIR: dataDir, PORT: '0' },
};
let server: ChildProcess | undefined;
let serverUrl = '';

after(async () => {
  await stopServer();
  // Without root only podman can delete the store of images.
  await removeEngine({ state_dir: join(dataDir, 'worker/containers'), installation: 'demo' });
  await rm(folder, { recursive: true, force: true });
});

const skip = await reasonToSkip();
if (skip) console.log(`The demo is not tried: ${skip}`);

describe('npm run demo', { skip }, () => {
  it('says what to do when no server answers', async () => {
    const { code, said } = await demo({ COGWORKS_URL: 'http://127.0.0.1:9' });

    assert.equal(code, 1);
    assert.match(said, /Start one with npm start in another terminal/);
  });

  it('tells the whole story, and again on what the first left there', async () => {
    const baseUrl = await startServer();
    const into = join(folder, 'results');

    const first = await demo({ COGWORKS_URL: baseUrl }, '--into', into);

    assert.equal(first.code, 0, first.said);
    assert.match(first.said, /partial_success {2}1 of 4 files failed at text: exit code 1/);
    assert.match(first.said, /broken-scan\.pdf +failure\n +text: exit code 1: Syntax Error: .+/);
    await lookAtResults(join(into, '1'), ['a-year-at-the-bench', 'gear-trains', 'orreries']);

    const second = await demo({ COGWORKS_URL: baseUrl }, '--into', into, '--no-previews');

    assert.equal(second.code, 0, second.said);
    assert.match(second.said, /5 there already/);
    assert.match(second.said, /published earlier/);
    await lookAtResults(join(into, '2'), []);
  });

  it('leaves a run that can be run again, also after a restart, and nothing once stopped', async () => {
    assert.match(await runAgain(serverUrl, 1), /^partial_success/);

    await stopServer();
    const settings = JSON.parse(await readFile(join(dataDir, 'demo-registry.json'), 'utf8'));
    await assert.rejects(fetch(`http://127.0.0.1:${settings.port}/v2/`));

    assert.match(await runAgain(await startServer(), 1), /^partial_success/);
  });
});

/** As the dashboard's button does. @returns the outcome of the new run. */
async function runAgain(baseUrl: string, run_id: number): Promise<string> {
  const { client, ownKey = '' } = await signIn(baseUrl, env);
  const { workflow_run_id } = await client.restartRun({ path: { run_id }, body: { mode: 'all' } });
  const path = { run_id: workflow_run_id };
  let run = await client.getRun({ path });
  for (; !isTerminal(run.status); run = await client.getRun({ path })) await wait(300);
  await revokeKey(client, ownKey);
  return `${run.status}: ${run.error_message}`;
}

async function lookAtResults(results: string, previews: string[]) {
  assert.deepEqual(
    (await readdir(results)).sort(),
    [...previews.map((name) => `${name}.png`), 'report.html', 'word-counts.csv'].sort(),
  );
  for (const name of previews) {
    const bytes = await readFile(join(results, `${name}.png`));
    assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  }
  const report = await readFile(join(results, 'report.html'), 'utf8');
  const table = await readFile(join(results, 'word-counts.csv'), 'utf8');
  const [, ...counts] = table.trim().split('\n');
  assert.equal(counts.length, 3);
  for (const line of counts) {
    const [, name = '', words = ''] = /^"([^"]+)",3,(\d{3,4}),/.exec(line) ?? [];
    assert.ok(report.includes(`<td>${name}<`), line);
    assert.ok(report.includes(`<td class="number">${words}<`), line);
  }
  const thumbnails = [...report.matchAll(/src="data:image\/jpeg;base64,([^"]+)"/g)];
  assert.equal(thumbnails.length, 3);
  for (const [, base64 = ''] of thumbnails) {
    assert.equal(Buffer.from(base64, 'base64').subarray(0, 3).toString('hex'), 'ffd8ff');
  }
}

async function stopServer() {
  if (!server || server.exitCode !== null) return;
  server.kill('SIGTERM');
  await once(server, 'exit');
}

/**
 * Like `npm start` with an empty data folder: database, keys, first admin and worker are created.
 */
async function startServer(): Promise<string> {
  const child = spawn(process.execPath, ['tools/start.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  server = child;
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The server ended: ${said}`)));
    child.stdout.on('data', () => {
      const url = /ready at (http:\S+)/.exec(said)?.[1];
      // The demo waits for the worker, but not as long as it may take on a busy machine.
      if (!url || !/takes work/.test(said)) return;
      serverUrl = url;
      resolve(url);
    });
  });
}

async function demo(more: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, ['tools/demo/main.ts', ...args], {
    cwd: root,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, said };
}

async function reasonToSkip(): Promise<string | false> {
  const tools = await ensureTestTools({ install: true, log: (line) => console.log(line) });
  if (!tools.ready) return `${tools.problem} Install by: ${tools.remedy}`;
  const options = {
    state_dir: join(folder, 'probe'),
    run_dir: join(folder, 'probe-run'),
    installation: 'probe',
  };
  const { report } = await openEngine(options);
  await removeEngine(options);
  if (!report.usable) return report.problem ?? 'no container engine';
  return documentsImage().then(
    () => false as const,
    (error: unknown) => String(error),
  );
}
