import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { allowNothing } from '@cogworks/worker/containers/registry-allow';
import { checkRegistry } from '@cogworks/worker/containers/registry-check';
import { type Cast, cast } from '../../../test/cast.ts';

const username = 'robot';
const password = 'p4ssword-unreadable';
const right = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

describe('POST /secrets/{id}/test', () => {
  const opened: Server[] = [];
  let people: Cast;
  let count = 0;
  before(async () => {
    people = await cast();
  });
  after(() => opened.map((server) => server.close()));

  const listening = async (server: Server) => {
    opened.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const registry = (answer: RequestListener) => listening(createServer(answer));
  const stored = async (server: string, given = password) => {
    count += 1;
    const value = { server, username, password: given };
    const secret = { name: `REGISTRY_${count}`, kind: 'registry', value };
    return (await people.admin.post('/secrets', secret)).body.id as number;
  };
  const tested = async (server: string, given = password) => {
    const { status, body } = await people.admin.post(
      `/secrets/${await stored(server, given)}/test`,
    );
    assert.equal(status, 200);
    assert.doesNotMatch(JSON.stringify(body), /p4ssword|secret of the registry/);
    return body;
  };

  it('says that a registry accepts a password, or refuses it', async () => {
    const host = await registry(({ headers: { authorization } }, response) => {
      if (authorization === right) return response.end('{}');
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    });

    const accepted = await tested(host);

    assert.deepEqual([accepted.outcome, accepted.version], ['reached', 1]);
    assert.match(accepted.message, /accepts the credentials/);
    assert.equal((await tested(host, 'another')).outcome, 'unauthorized');
  });

  it('gets a token where the registry names a place for that', async () => {
    const host: string = await registry(({ url, headers: { authorization } }, response) => {
      if (url?.startsWith('/token?service=images')) {
        return authorization === right
          ? response.end(JSON.stringify({ token: 'secret of the registry' }))
          : response.writeHead(401).end();
      }
      if (authorization === 'Bearer secret of the registry') return response.end('{}');
      const challenge = `Bearer realm="http://${host}/token",service="images"`;
      return response.writeHead(401, { 'www-authenticate': challenge }).end();
    });

    assert.equal((await tested(host)).outcome, 'reached');
    assert.equal((await tested(host, 'another')).outcome, 'unauthorized');
  });

  it('blames no password for a place for tokens that fails', async () => {
    const host: string = await registry(({ url }, response) => {
      if (url?.startsWith('/token')) return response.writeHead(503).end('{"errors":[]}');
      const challenge = `Bearer realm="http://${host}/token",service="images"`;
      return response.writeHead(401, { 'www-authenticate': challenge }).end();
    });

    assert.equal((await tested(host)).outcome, 'no_registry');
  });

  it('tells what answers instead of a registry with a password, and what does not answer', async () => {
    const open = await registry((_request, response) => response.end('{}'));
    const other = await registry((_request, response) => response.writeHead(404).end('<html>'));
    const noHttp = await listening(createTcpServer((socket) => void socket.end('220 mail\r\n')));
    const closed = createTcpServer();
    const silent = await listening(closed);
    closed.close();

    assert.equal((await tested(open)).outcome, 'no_credentials_needed');
    assert.equal((await tested(other)).outcome, 'no_registry');
    assert.equal((await tested(noHttp)).outcome, 'no_tls');
    assert.equal((await tested(silent)).outcome, 'unreachable');
  });

  it('calls nothing inside, and sends the password nowhere that a registry names', async () => {
    let calls = 0;
    const inside = await registry((_request, response) => {
      calls += 1;
      response.end('{}');
    });
    const host = await registry((_request, response) => {
      const challenge = `Bearer realm="http://${inside}/token"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    });

    const sent = await tested(host);
    const inner = await tested('10.255.255.1');
    const closed = await checkRegistry(inside, { username, password }, allowNothing);

    assert.deepEqual(
      [sent.outcome, inner.outcome, closed.outcome, calls],
      ['unreachable', 'unreachable', 'unreachable', 0],
    );
    assert.match(inner.message, /REGISTRY_ALLOW/);
  });

  it('is done with the look-up it is given, and says what that has failed by', async () => {
    const failing = (code: string) => async (name: string) => {
      throw Object.assign(new Error(`${code} ${name}`), { code, syscall: 'queryA' });
    };
    const auth = { username, password };
    const at = (resolve: (name: string) => Promise<string[]>) =>
      checkRegistry('registry.example', auth, allowNothing, resolve);
    const asked: string[] = [];
    const inner = async (name: string) => {
      asked.push(name);
      return ['10.1.2.3'];
    };

    const there = await at(inner);
    const nowhere = await at(failing('ENODATA'));
    const away = [await at(failing('ESERVFAIL')), await at(failing('ECONNREFUSED'))];

    assert.deepEqual(asked, ['registry.example']);
    assert.deepEqual([there.outcome, nowhere.outcome], ['unreachable', 'unreachable']);
    // Neither tells what names an inner network has.
    assert.equal(nowhere.message, there.message);
    for (const { message } of away) assert.match(message, /does not answer in time/);
  });

  it('is for admins, for registries of others, and an event', async () => {
    const { admin, viewer, stranger } = people;
    const host = await registry((_request, response) => response.end('{}'));
    const id = await stored(host);
    const text = { name: 'TEXT', kind: 'generic', value: 'x' };
    const generic = (await admin.post('/secrets', text)).body.id;
    const secrets: { id: number; is_managed: boolean }[] = (await admin.get('/secrets')).body;
    const own = secrets.find(({ is_managed }) => is_managed)?.id;

    assert.equal((await viewer.post(`/secrets/${id}/test`)).status, 403);
    assert.equal((await stranger.post(`/secrets/${id}/test`)).status, 404);
    const refused = [];
    for (const one of [generic, own])
      refused.push((await admin.post(`/secrets/${one}/test`)).body.code);
    assert.deepEqual(refused, ['no_registry_secret', 'secret_managed']);
    await admin.post(`/secrets/${id}/test`);
    const { body: events } = await admin.get('/audit-events?action=secret.tested&limit=1');
    const { version, outcome } = events[0].details;
    assert.deepEqual([version, outcome], [1, 'no_credentials_needed']);
  });
});
