import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Cast, type Client, cast, client } from '../../../test/cast.ts';
import { relayTo } from '../../../test/cut.ts';
import { untilHeard } from '../../../test/heard.ts';
import { startServer, type TestServer, testServer } from '../../../test/server.ts';
import { signIn, signOut, userWithPassword } from '../../../test/sign-in.ts';
import { statementsOf } from '../../../test/statements.ts';
import { scriptedWorker } from '../../../test/worker.ts';
import { connect } from '../../db/connection.ts';
import { openNotices } from '../../db/notices.ts';

/**
 * Another process on the database, and the connection on which it receives changes of the first.
 */
let other: TestServer;
let line: Awaited<ReturnType<typeof relayTo>>;
before(async () => {
  const server = await testServer();
  line = await relayTo(server.to);
  const notices = openNotices({ url: line.url });
  other = await startServer({}, undefined, { beside: server, notices });
  other.beforeStop(async () => {
    await notices.close();
    await line.cut();
  });
});

type Ask = () => Promise<{ status: number }>;

/**
 * Repeats the request until the caller is cached there: then it costs only its own statement.
 *
 * @returns false if it was refused before.
 */
async function isRemembered(where: TestServer, ask: Ask): Promise<boolean> {
  for (;;) {
    const statuses: number[] = [];
    const { statements } = await statementsOf(where, async () => {
      statuses.push((await ask()).status);
    });
    if (statuses.includes(401)) return false;
    assert.deepEqual(statuses, [200]);
    if (statements === 1 && where.services.notices.isListening()) return true;
    // Notices of recent changes may still be in transit.
    await turn();
  }
}

const isRefused = async (ask: Ask) => [401, 409].includes((await ask()).status);

async function keyOf(owner: Client) {
  const { body } = await owner.post('/api-keys/', { description: 'a program' });
  const headers = { 'x-api-key': body.access_key as string };
  const exchanged = await owner.post('/api-keys/token', { api_key: body.access_key });
  return { id: body.id as number, headers, token: exchanged.body.access_token as string };
}

/** How a caller sends a request to `where`, and how the first process revokes its access. */
type Stage = (
  people: Cast,
  where: TestServer,
) => Promise<{ ask: Ask; end: () => Promise<unknown> }>;

const endings: Record<string, Stage> = {
  'a revoked key': async ({ owner }, where) => {
    const { id, headers } = await keyOf(owner);
    return {
      ask: () => client(where.url).get('/me', { headers }),
      end: () => owner.delete(`/api-keys/${id}`),
    };
  },
  'the token of a revoked key': async ({ owner }, where) => {
    const { id, token } = await keyOf(owner);
    return {
      ask: () => client(where.url, token).get('/me'),
      end: () => owner.delete(`/api-keys/${id}`),
    };
  },
  'a disabled user': async ({ owner, admin }, where) => ({
    ask: () => client(where.url, owner.token).get('/me'),
    end: () => admin.patch(`/users/${owner.user.id}`, { status: 'disabled' }),
  }),
  'the session of a browser that signed out': async ({ server, owner }, where) => {
    const { email, password } = await userWithPassword(server, owner.user.tenant_id);
    const session = await signIn(server, email, password);
    return {
      ask: () => client(where.url, session.access_token).get('/me'),
      end: () => signOut(server, session),
    };
  },
  'a session whose refresh token was revoked': async ({ server, owner }, where) => {
    const { email, password } = await userWithPassword(server, owner.user.tenant_id);
    const { access_token, refresh_token: token } = await signIn(server, email, password);
    const body = new URLSearchParams({ client_id: 'dashboard', token });
    return {
      ask: () => client(where.url, access_token).get('/me'),
      end: () => fetch(`${server.url}/realms/cogworks/token/revocation`, { method: 'POST', body }),
    };
  },
  'a removed worker': async ({ server, admin, owner }, where) => {
    const worker = await scriptedWorker(server, owner.user.tenant_id);
    return {
      ask: () => client(where.url, worker.token).post(`/workers/${worker.id}/heartbeat`, beat),
      end: () => admin.delete(`/workers/${worker.id}`),
    };
  },
  'a process of a worker that was replaced': async ({ server, owner }, where) => {
    const worker = await scriptedWorker(server, owner.user.tenant_id);
    const first = await worker.start();
    return {
      ask: () => client(where.url, first.token).post(`/workers/${worker.id}/heartbeat`, beat),
      end: () => worker.start(),
    };
  },
};
const beat = { attempts: [], in_use: {} };

describe('a caller that another process remembers', () => {
  for (const [who, stage] of Object.entries(endings)) {
    it(`is refused there once it has heard of it: ${who}`, async () => {
      const { ask, end } = await stage(await cast(), other);
      assert.ok(await isRemembered(other, ask));

      await end();
      await untilHeard(other);

      assert.ok(await isRefused(ask));
    });
  }

  it('has a new role there once it has heard of it', async () => {
    const { admin, owner } = await cast();
    const ask = () => client(other.url, owner.token).get('/audit-events/');
    assert.equal((await ask()).status, 403);
    assert.equal((await ask()).status, 403);

    await admin.patch(`/users/${owner.user.id}`, { role: 'admin' });
    await untilHeard(other);

    assert.equal((await ask()).status, 200);
  });

  it('is refused whoever changed the row, by whatever means', async () => {
    const { server, owner } = await cast();
    const { id, token } = await keyOf(owner);
    const ask = () => client(other.url, token).get('/me');
    assert.ok(await isRemembered(other, ask));
    const operator = connect(server.to, { max: 1 });

    await operator`update api_keys set revoked_at = now() where id = ${id}`;

    await operator.close();
    await untilHeard(other);
    assert.ok(await isRefused(ask));
  });

  it('is looked up each time while the process does not hear of changes', async () => {
    const { owner } = await cast();
    const { id, token } = await keyOf(owner);
    const ask = () => client(other.url, token).get('/me');
    assert.ok(await isRemembered(other, ask));

    await line.cut();
    while (other.services.notices.isListening()) await turn();
    assert.equal((await statementsOf(other, ask)).statements, 2);
    assert.equal((await statementsOf(other, ask)).statements, 2);
    await owner.delete(`/api-keys/${id}`);

    assert.equal((await ask()).status, 401);
    await line.mend();
  });

  it('is refused when it ended while the process did not hear of changes', async () => {
    const { owner } = await cast();
    const { id, token } = await keyOf(owner);
    const ask = () => client(other.url, token).get('/me');
    assert.ok(await isRemembered(other, ask));

    await line.cut();
    await owner.delete(`/api-keys/${id}`);
    await line.mend();
    while (!other.services.notices.isListening()) await turn();

    assert.equal((await ask()).status, 401);
  });

  it('is refused once its time is over, which nobody tells', async () => {
    const { owner } = await cast();
    // On a slow machine its time may be over before it is remembered.
    for (let life_ms = 700; ; life_ms *= 2) {
      const expires_at = new Date(Date.now() + life_ms).toISOString();
      const { body } = await owner.post('/api-keys/', { description: 'short', expires_at });
      const headers = { 'x-api-key': body.access_key };
      const ask = () => client(other.url).get('/me', { headers });
      if (!(await isRemembered(other, ask))) continue;

      while (Date.now() < Date.parse(expires_at)) await ask();

      assert.equal((await ask()).status, 401);
      return;
    }
  });
});

describe('a caller in the process that ends it', () => {
  for (const [who, stage] of Object.entries(endings)) {
    it(`is refused from the answer on: ${who}`, async () => {
      const people = await cast();
      const { ask, end } = await stage(people, people.server);
      assert.ok(await isRemembered(people.server, ask));

      await end();

      assert.ok(await isRefused(ask));
    });
  }
});
