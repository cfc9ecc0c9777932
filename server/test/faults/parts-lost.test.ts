/** Parts of a running server that are lost: its database, its log, its terminal. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { client } from '../cast.ts';
import { ended, newApiKey, serverEnvironment, spawnServer } from '../installation.ts';
import { until } from '../until.ts';
import { killAll, postmasterOf, processesOf } from './processes.ts';

const root = join(import.meta.dirname, '../../..');
const folders: string[] = [];
const servers: ChildProcess[] = [];
after(async () => {
  for (const server of servers) await ended(server, 'SIGKILL');
  for (const folder of folders) {
    await killAll(folder);
    await rm(folder, { recursive: true, force: true });
  }
});

async function freshEnvironment(over: Record<string, string> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-lost-'));
  folders.push(dir);
  return { dir, env: { ...serverEnvironment(dir), PORT: '0', LOCAL_WORKER: 'off', ...over } };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const statusOf = (url: string) =>
  fetch(url).then(
    (answer) => answer.status,
    () => 0,
  );

describe('an embedded database that is killed while the server serves', () => {
  it('is started again, and until then everything is answered with a sentence', async () => {
    const { dir, env } = await freshEnvironment();
    const lines: string[] = [];
    const server = spawnServer(env, lines);
    servers.push(server);
    const url = await until(
      'the server is ready',
      () => /ready at (\S+)/.exec(lines.join('\n'))?.[1],
    );
    const { body } = await client(url).post('/api-keys/token', { api_key: await newApiKey(env) });
    const admin = client(url, body.access_token);

    for (let kills = 0; kills < 2; kills += 1) {
      const killed = await postmasterOf(dir);
      process.kill(killed, 'SIGKILL');
      const answers: { status: number; code?: string }[] = [];
      await until('it answers from a new database', async () => {
        const { status, body } = await admin.post('/cogs/', {
          name: `${kills} ${answers.length}`,
          cog_type: 'asset_folder',
        });
        answers.push({ status, code: body.code });
        const ready = await client(url).get('/readyz');
        if (ready.status !== 200) {
          assert.equal(ready.status, 503);
          assert.equal(ready.body.detail, 'The database does not answer.');
        }
        const now = await postmasterOf(dir).catch(() => killed);
        return now !== killed && status === 201 && ready.status === 200;
      });
      const odd = answers.filter(
        ({ status, code }) => status !== 201 && !(status === 503 && code === 'database_away'),
      );
      assert.deepEqual(odd, []);
    }

    assert.ok(lines.some((line) => /PostgreSQL ended \(SIGKILL\) and is started again/.test(line)));
    assert.equal(await ended(server, 'SIGTERM'), 0);
    assert.deepEqual(await processesOf(dir), []);
  });
});

describe('a log that cannot be written', () => {
  it('does not end the server: its disk is full', async () => {
    const port = await freePort();
    const { dir, env } = await freshEnvironment({ PORT: String(port) });
    const full = openSync('/dev/full', 'w');
    const server = spawn(process.execPath, ['server/src/main.ts', 'serve'], {
      cwd: root,
      env,
      stdio: ['ignore', full, full],
    });
    closeSync(full);
    servers.push(server);
    const url = `http://127.0.0.1:${port}`;

    await until('it is ready', async () => (await statusOf(`${url}/readyz`)) === 200);
    for (let tries = 0; tries < 50; tries += 1) assert.equal(await statusOf(`${url}/me`), 401);

    assert.equal(await ended(server, 'SIGTERM'), 0);
    assert.deepEqual(await processesOf(dir), []);
  });

  it('does not end the server: its reader is gone', async () => {
    const { dir, env } = await freshEnvironment();
    const lines: string[] = [];
    const server = spawnServer(env, lines);
    servers.push(server);
    const url = await until(
      'the server is ready',
      () => /ready at (\S+)/.exec(lines.join('\n'))?.[1],
    );

    server.stdout?.destroy();
    server.stderr?.destroy();
    for (let tries = 0; tries < 50; tries += 1) assert.equal(await statusOf(`${url}/me`), 401);

    assert.equal(await ended(server, 'SIGTERM'), 0);
    assert.deepEqual(await processesOf(dir), []);
  });
});
