/** The master key is replaced under two servers that serve: nothing fails, and nothing is lost. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { readConfig } from '../../src/config.ts';
import { openKeys } from '../../src/keys/keys.ts';
import { readCredentials } from '../../src/resources/secrets/secrets.ts';
import { client } from '../cast.ts';
import { relayTo } from '../cut.ts';
import { cloneDatabase } from '../database.ts';
import { ended, serverEnvironment, spawnServer, until } from '../installation.ts';
import { killAll } from './processes.ts';

/** Other tests run on this machine too. */
const patience_ms = 120_000;
const root = join(import.meta.dirname, '../../..');
const stops: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

async function stage() {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-rotation-'));
  stops.push(() => rm(dir, { recursive: true, force: true }));
  const database = await cloneDatabase();
  stops.push(() => database.drop());
  const { url, cut } = await relayTo(database.to);
  stops.push(cut);
  stops.push(() => killAll(dir));
  const env = {
    ...serverEnvironment(dir),
    ...{ DATABASE_URL: url, PORT: '0', LOCAL_WORKER: 'off', LOG_LEVEL: 'warn' },
  };
  const lines: string[] = [];
  const start = async (): Promise<{ process: ChildProcess; url: string }> => {
    const own: string[] = [];
    const process = spawnServer(env, own);
    const ready = await until(
      'the server is ready',
      () => {
        if (process.exitCode !== null) throw new Error(own.join('\n'));
        return /ready at (\S+)/.exec(own.join('\n'))?.[1];
      },
      patience_ms,
    );
    process.once('exit', () => lines.push(...own));
    return { process, url: ready };
  };
  const admin = async (...command: string[]) => {
    const options = { cwd: root, env };
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['server/src/admin.ts', ...command], options);
    return stdout.trim();
  };
  return { dir, env, db: database.db, lines, start, admin };
}

describe('a master key that is replaced twice under load', () => {
  it('fails no request of two servers, and loses no secret and no tenant', async () => {
    const { dir, env, db, lines, start, admin } = await stage();
    const servers = [await start(), await start()];
    const key = await admin(
      'create-api-key',
      ...['--email', 'admin@localhost', '--description', 'rotation'],
    );
    // Each of them issues tokens under a URL of its own.
    const people = await Promise.all(
      servers.map(async ({ url }) => {
        const { body } = await client(url).post('/api-keys/token', { api_key: key });
        return client(url, body.access_token);
      }),
    );

    const load = underLoad(people);
    const tenants: number[] = [];
    for (const name of ['One', 'Two']) {
      const seen = load.count();
      await until('both servers work', () => load.count() > seen + 20, patience_ms);
      const made = admin('create-tenant', '--name', name, '--admin-email', `${name}@x.test`);
      await admin('rotate-master-key');
      tenants.push(JSON.parse(await made).tenant_id);
    }
    const seen = load.count();
    await until('both servers work', () => load.count() > seen + 20, patience_ms);
    const { values, refusals } = await load.stop();

    assert.deepEqual(refusals.slice(0, 5), []);
    for (const server of servers) assert.equal(await ended(server.process, 'SIGTERM'), 0);
    assert.deepEqual(
      lines.filter((line) => /"level":"?(error|50)/.test(line)),
      [],
    );
    assert.deepEqual(
      (await readdir(dir)).filter((name) => /master/.test(name)),
      ['master.key'],
    );
    const keys = await openKeys(readConfig(env), db);
    const names = [...values.keys()];
    const { generic } = await readCredentials({ db, lookups: db, keys }, 1, { servers: [], names });
    assert.deepEqual(new Map(names.map((name) => [name, generic(name)])), values);
    for (const id of tenants) assert.equal((await keys.tenantKey(db, id)).length, 32);
    const again = await start();
    assert.equal(await ended(again.process, 'SIGTERM'), 0);
  });
});

/** Stores secrets and changes them, through every server at once, until it is stopped. */
function underLoad(people: ReturnType<typeof client>[]) {
  const values = new Map<string, string>();
  const refusals: string[] = [];
  let count = 0;
  let isOver = false;
  const loops = people.flatMap((person, server) =>
    [0, 1].map(async (lane) => {
      for (let round = 0; !isOver; round += 1) {
        const name = `SECRET_${server}_${lane}_${round}`;
        const made = await person.post('/secrets', { name, kind: 'generic', value: 'first' });
        const value = `value ${Math.random()}`;
        const changed = await person.put(`/secrets/${made.body.id}`, { value });
        if (made.status !== 201 || changed.status !== 200)
          refusals.push(`${made.status} ${changed.status} ${JSON.stringify(changed.body)}`);
        values.set(name, value);
        count += 1;
      }
    }),
  );
  const stop = async () => {
    isOver = true;
    await Promise.all(loops);
    return { values, refusals };
  };
  return { count: () => count, stop };
}
