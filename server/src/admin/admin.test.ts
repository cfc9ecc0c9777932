import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { cast, client } from '../../test/cast.ts';
import { relayTo } from '../../test/cut.ts';
import { cloneDatabase } from '../../test/database.ts';
import { startServer, testServer } from '../../test/server.ts';
import { authorizationRequest, Browser, userWithPassword } from '../../test/sign-in.ts';
import { storageSettings } from '../../test/storage.ts';
import { readConfig } from '../config.ts';
import { openKeys } from '../keys/keys.ts';
import { masterKeyFile, newMasterKeyFile } from '../keys/master-keys.ts';
import { createTenant } from '../resources/users/users.ts';
import { requireOwnStorage } from '../storage/own-storage.ts';
import { type Parts, UsageError } from './command.ts';
import { commands } from './commands.ts';

const program = join(import.meta.dirname, '../admin.ts');

describe('the operator', () => {
  it('creates a tenant whose admin signs in with a one-time password', async () => {
    const server = await testServer();
    const email = 'boss@tenant.test';

    const made = JSON.parse(
      await run('create-tenant', { name: 'Tenant', 'admin-email': email }, server.services),
    );

    assert.equal(typeof made.tenant_id, 'number');
    assert.equal(typeof made.user_id, 'number');
    const browser = new Browser(server.url);
    const page = await browser.follow(authorizationRequest(server.url).url);
    const answer = await browser.submit(page.url, { email, password: made.password });
    assert.match(answer.text, /Choose your password/);
  });

  it('adds a user to a tenant, and refuses what cannot be', async () => {
    const { server, admin } = await cast();
    const tenant = String(admin.user.tenant_id);
    const email = 'new@tenant.test';

    const made = JSON.parse(await run('create-user', { tenant, email }, server.services));

    const { body } = await admin.get('/users/');
    const user = body.find(({ id }: { id: number }) => id === made.user_id);
    assert.deepEqual([user.email, user.role, user.status], [email, 'member', 'active']);
    const again = run('create-user', { tenant, email }, server.services);
    await assert.rejects(again, /already a user/);
    const nowhere = run('create-user', { tenant: '999999', email: 'x@y.test' }, server.services);
    await assert.rejects(nowhere, /no tenant 999999/);
  });

  it('creates an API key that works', async () => {
    const { server, owner } = await cast();
    const email = owner.user.email.toUpperCase();

    const key = await run('create-api-key', { email, description: 'first' }, server.services);

    const headers = { 'x-api-key': key };
    const { body } = await client(server.url).get('/me', { headers });
    assert.equal(body.id, owner.user.id);
    const nobody = { email: 'nobody@x.test', description: 'first' };
    await assert.rejects(run('create-api-key', nobody, server.services), /No active user/);
  });

  it('limits how many node runs of a tenant run at once', async () => {
    const { server, admin } = await cast();
    const tenant = String(admin.user.tenant_id);
    const limit = (most: string, of = tenant) =>
      run('set-tenant-limits', { tenant: of, 'max-running-node-runs': most }, server.services);

    const told = JSON.parse(await limit('7'));

    assert.deepEqual(told, { tenant_id: admin.user.tenant_id, max_running_node_runs: 7 });
    assert.equal(JSON.parse(await limit('none')).max_running_node_runs, null);
    await assert.rejects(limit('7', '999999'), /no tenant 999999/);
  });

  it('limits what a tenant stores, and leaves the other limit as it is', async () => {
    const { server, admin, owner } = await cast();
    const tenant = String(admin.user.tenant_id);
    const set = (values: Record<string, string>) =>
      run('set-tenant-limits', { tenant, ...values }, server.services);
    await set({ 'max-running-node-runs': '7' });

    const told = JSON.parse(await set({ 'max-storage-bytes': '2' }));

    assert.deepEqual(told, { tenant_id: admin.user.tenant_id, storage_limit_bytes: 2 });
    assert.equal((await owner.upload('too large', 'xyz')).body.code, 'quota_exceeded');
    await set({ 'max-storage-bytes': 'none', 'max-running-node-runs': '8' });
    assert.equal((await owner.upload('too large', 'xyz')).status, 201);
    const [row] = await server.services.db<{ max_running_node_runs: number }[]>`
      select max_running_node_runs from tenants where id = ${admin.user.tenant_id}
    `;
    assert.equal(row?.max_running_node_runs, 8);
  });

  it('limits the seats of a tenant, also for the users it creates', async () => {
    const { server, admin } = await cast();
    const tenant = String(admin.user.tenant_id);
    const set = (most: string) =>
      run('set-tenant-limits', { tenant, 'max-seats': most }, server.services);

    assert.deepEqual(JSON.parse(await set('4')), {
      ...{ tenant_id: admin.user.tenant_id, seats_limit: 4 },
    });

    const create = () => run('create-user', { tenant, email: 'fifth@seats.test' }, server.services);
    await assert.rejects(create(), /All 4 seats/);
    await set('none');
    const request = { email: 'Fifth@seats.test', role: 'member' };
    await admin.post('/invitations/', request);
    await create();
    assert.deepEqual((await admin.get('/invitations/')).body, []);
  });

  it('gives somebody a new one-time password', async () => {
    const { server, admin } = await cast();
    const user = await userWithPassword(server, admin.user.tenant_id);

    const { password } = JSON.parse(
      await run('reset-password', { email: user.email }, server.services),
    );

    const browser = new Browser(server.url);
    const page = await browser.follow(authorizationRequest(server.url).url);
    const old = await browser.submit(page.url, { email: user.email, password: user.password });
    assert.equal(old.status, 401);
    const fresh = await browser.submit(page.url, { email: user.email, password });
    assert.match(fresh.text, /Choose your password/);
  });

  it('hears what is wrong with the options', () => {
    const wrong: [string, Record<string, string>, RegExp][] = [
      ['create-api-key', { description: 'x' }, /--email is missing/],
      ['create-api-key', { email: 'nonsense', description: 'x' }, /--email must be/],
      ['create-tenant', { name: 'x'.repeat(201), 'admin-email': 'a@b.c' }, /200 characters/],
      ['create-user', { tenant: 'x', email: 'a@b.c' }, /--tenant must be a number/],
      ['create-user', { tenant: '1', email: 'a@b.c', role: 'king' }, /--role must be/],
      ['set-tenant-limits', { tenant: '1' }, /--max-running-node-runs is missing/],
      ...['-1', '1.5', '1e9', '9999999999999999', 'all'].map(
        (most): [string, Record<string, string>, RegExp] => [
          'set-tenant-limits',
          { tenant: '1', 'max-storage-bytes': most },
          /--max-storage-bytes must be a number of bytes, or none/,
        ],
      ),
      ...['0', '-1', '1.5', '1e3', '1000001', 'many'].map(
        (most): [string, Record<string, string>, RegExp] => [
          'set-tenant-limits',
          { tenant: '1', 'max-running-node-runs': most },
          /--max-running-node-runs must be a number from 1 to 1000000, or none/,
        ],
      ),
    ];
    for (const [name, values, message] of wrong) {
      assert.throws(
        () => command(name).prepare(values),
        (error) => error instanceof UsageError && message.test(error.message),
      );
    }
  });

  const type = (...args: string[]) =>
    spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });

  it('gets usage and exit code 2 for a command that does not exist', () => {
    for (const args of [[], ['nonsense']]) {
      const { status, stdout, stderr } = type(...args);
      assert.equal(status, 2);
      assert.equal(stdout, '');
      assert.match(stderr, /Usage: npm run --silent admin/);
    }
  });

  it('gets the lines of one command for a mistake in it, and when asked for them', () => {
    const lines = /create-tenant --name N --admin-email E\n/;
    const mistaken = type('create-tenant', '--color', 'red');
    assert.equal(mistaken.status, 2);
    assert.equal(mistaken.stdout, '');
    assert.match(mistaken.stderr, /^Unknown option '--color'/);
    assert.match(mistaken.stderr, lines);

    const asked = type('create-tenant', '--help');
    assert.equal(asked.status, 0);
    assert.match(asked.stdout, lines);
    for (const { stdout, stderr } of [mistaken, asked])
      assert.doesNotMatch(stdout + stderr, /create-user/);
  });
});

describe('check-storage', () => {
  it('ends with 0 if what is stored is what is recorded, else with 1 and what differs', async () => {
    const server = await startServer();
    const { owner } = await cast(server);
    await owner.upload('a.txt', 'bytes');
    const { db, storage, config } = server.services;
    await requireOwnStorage(db, storage, true);
    const { url, cut } = await relayTo(server.to);
    server.beforeStop(cut);
    const { data_dir, master_key = '' } = config;
    const env = {
      ...storageSettings(data_dir),
      ...{ DATA_DIR: data_dir, DATABASE_URL: url, MASTER_KEY: master_key },
    };
    const check = async () => {
      const running = spawn(process.execPath, [program, 'check-storage'], { env });
      const [said, faults, [code]] = await Promise.all([
        text(running.stdout),
        text(running.stderr),
        once(running, 'exit'),
      ]);
      return { code, faults, unknown: JSON.parse(said).unknown };
    };

    assert.deepEqual(await check(), { code: 0, faults: '', unknown: { count: 0, keys: [] } });
    const key = `${owner.user.tenant_id}/${randomUUID()}`;
    await storage.write(key, Readable.from([Buffer.from('of nobody')]));
    assert.deepEqual(await check(), { code: 1, faults: '', unknown: { count: 1, keys: [key] } });
  });
});

describe('rotate-master-key', () => {
  it('puts a new key into the data folder; the old one opens nothing any more', async () => {
    const parts = await installation();
    const file = masterKeyFile(parts.config);
    const before = await readFile(file, 'utf8');
    const tenant = await createTenant(parts.db, parts.keys, 'Tenant');
    const tenantKey = (await parts.keys.tenantKey(parts.db, tenant)).export();

    await run('rotate-master-key', {}, parts);

    assert.notEqual(await readFile(file, 'utf8'), before);
    assert.deepEqual(await readdir(parts.config.data_dir), ['master.key']);
    const keys = await openKeys(parts.config, parts.db);
    assert.deepEqual(keys.derive('x'), parts.keys.derive('x'));
    assert.deepEqual((await keys.tenantKey(parts.db, tenant)).export(), tenantKey);
    await writeFile(file, before);
    await assert.rejects(openKeys(parts.config, parts.db), /MASTER_KEY does not fit/);
    await parts.drop();
  });

  it('survives being killed before the new key took its place', async () => {
    const parts = await installation();
    const file = masterKeyFile(parts.config);
    const before = await readFile(file, 'utf8');
    await run('rotate-master-key', {}, parts);
    await writeFile(newMasterKeyFile(parts.config), await readFile(file, 'utf8'));
    await writeFile(file, before);

    const keys = await openKeys(parts.config, parts.db);

    assert.deepEqual(keys.derive('x'), parts.keys.derive('x'));
    assert.deepEqual(await readdir(parts.config.data_dir), ['master.key']);
    await parts.drop();
  });

  it('prints the key when it came by the environment', async () => {
    const server = await startServer();
    const { config, db, keys } = server.services;

    const master_key = await run('rotate-master-key', {}, { config, db, keys });

    const reopened = await openKeys({ ...config, master_key }, db);
    assert.deepEqual(reopened.derive('x'), keys.derive('x'));
    await assert.rejects(openKeys(config, db), /MASTER_KEY does not fit/);
  });
});

function command(name: string) {
  const found = commands.find((one) => one.name === name);
  if (!found) throw new Error(`no command ${name}`);
  return found;
}

const run = async (name: string, values: Record<string, string>, parts: Parts) =>
  command(name).prepare(values)(parts);

/** An installation with its master key in a file, the default. */
async function installation() {
  const config = readConfig({ DATA_DIR: await mkdtemp(join(tmpdir(), 'cogworks-test-')) });
  const { db, drop } = await cloneDatabase();
  return { config, db, drop, keys: await openKeys(config, db) };
}
