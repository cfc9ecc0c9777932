import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { client } from '../cast.ts';
import { testServer } from '../server.ts';
import { costOf } from '../statements.ts';
import { bodyOf, filled, type Operation, operationsOf, seeded, send } from './routes.ts';

const server = await testServer();
const operations = await operationsOf(async () =>
  (await fetch(`${server.url}/openapi.json`)).json(),
);
const guarded = operations.filter((operation) => operation.security !== 'public');
const named = (list: Operation[], one: (operation: Operation) => Promise<void>) => {
  for (const operation of list) it(`${operation.method} ${operation.path}`, () => one(operation));
};

describe('without credentials every operation answers 401', () => {
  named(guarded, async (operation) => {
    const anonymous = client(server.url);
    for (const headers of [
      {},
      { authorization: 'Bearer nonsense' },
      { authorization: 'Bearer sk_abc' },
      { 'x-api-key': 'sk_nonsense' },
    ]) {
      const response = await anonymous.fetch(
        filled(operation, () => '1'),
        { method: operation.method, headers },
      );
      assert.equal(response.status, 401, JSON.stringify(headers));
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    }
  });
});

describe("another tenant's item answers exactly as one that does not exist", async () => {
  const stage = await seeded();
  const withIds = operations.filter(
    ({ path, security }) => path.includes('{') && security === 'user',
  );
  named(withIds, async (operation) => {
    const body = bodyOf[operation.id]?.(stage);
    const foreign = await send(
      stage.stranger,
      operation,
      filled(operation, (name) => stage.idFor(operation, name)),
      body,
    );
    const unknown = await send(
      stage.stranger,
      operation,
      filled(operation, () => '999999999'),
      operation.id === 'shareCog' ? { ...(body as object), target_id: 999_999_999 } : body,
    );

    assert.equal(foreign.status, 404, await foreign.clone().text());
    assert.deepEqual(
      [foreign.status, await foreign.text()],
      [unknown.status, await unknown.text()],
    );
  });
});

describe('an id that is no integer is 422', async () => {
  const stage = await seeded();
  named(
    operations.filter(({ path, security }) => path.includes('{') && security === 'user'),
    async (operation) => {
      for (const id of ['abc', '1.5', '1e3x', '%00', '-']) {
        const body = bodyOf[operation.id]?.(stage);
        const response = await send(
          stage.admin,
          operation,
          filled(operation, () => id),
          body,
        );
        assert.equal(response.status, 422, `${id}: ${await response.text()}`);
      }
    },
  );
});

describe('an id beyond what the database holds is answered, not a fault of ours', async () => {
  const stage = await seeded();
  named(
    operations.filter(({ path, security }) => path.includes('{') && security === 'user'),
    async (operation) => {
      for (const id of ['99999999999999999999', '-1', '9007199254740991']) {
        const body = bodyOf[operation.id]?.(stage);
        const response = await send(
          stage.admin,
          operation,
          filled(operation, () => id),
          body,
        );
        assert.ok(
          [404, 422].includes(response.status),
          `${id}: ${response.status} ${await response.text()}`,
        );
      }
    },
  );
});

/** Some lists are for platform admins. */
async function runningThePlatform() {
  const stage = await seeded();
  const { id } = stage.admin.user;
  await server.services.db`update users set is_platform_admin = true where id = ${id}`;
  return stage;
}

describe('every list pages', async () => {
  const stage = await runningThePlatform();
  named(
    operations.filter((operation) => operation.isList),
    async (operation) => {
      const path = filled(operation, (name) => stage.idFor(operation, name));
      const query = operation.id === 'searchCogs' ? 'q=law&' : '';
      const status = async (parameters: string) =>
        (await stage.admin.get(`${path}?${query}${parameters}`)).status;

      for (const good of ['', 'limit=1', 'limit=1000', 'offset=0', 'offset=1000000', 'unknown=x']) {
        assert.equal(await status(good), 200, good);
      }
      for (const bad of [
        'limit=0',
        'limit=1001',
        'limit=x',
        'offset=-1',
        'offset=1000001',
        'cursor=x',
        'cursor=abc.def',
        'limit=',
        'with_total=maybe',
      ]) {
        assert.equal(await status(bad), 422, bad);
      }
      const total = await stage.admin.get(`${path}?${query}with_total=true`);
      assert.equal(Number(total.headers.get('x-total-count')), total.body.length);
    },
  );
});

// Each text is prepared on each connection, and their number is bounded.
describe('every list asks by the same statements, whatever its limit', async () => {
  const stage = await runningThePlatform();
  named(
    operations.filter((operation) => operation.isList),
    async (operation) => {
      const path = filled(operation, (name) => stage.idFor(operation, name));
      const query = operation.id === 'searchCogs' ? 'q=law&' : '';
      const textsOf = async (limit: number) => {
        const ask = () => stage.admin.get(`${path}?${query}limit=${limit}`);
        return new Set((await costOf(server, ask)).texts);
      };

      const usual = await textsOf(100);
      for (const limit of [10, 50, 1000]) assert.deepEqual(await textsOf(limit), usual);
    },
  );
});

describe('a body that is none', async () => {
  const stage = await seeded();
  named(
    operations.filter(({ hasJsonBody, security }) => hasJsonBody && security === 'user'),
    async (operation) => {
      const path = filled(operation, (name) => stage.idFor(operation, name));
      const raw = (body: string, type = 'application/json') =>
        stage.admin.fetch(path, {
          method: operation.method,
          headers: { 'content-type': type },
          body,
        });

      assert.equal((await raw('{"a":')).status, 400);
      assert.equal((await raw('[]')).status, 422);
      assert.equal((await raw('{"no_such_field": 1}')).status, 422);
      assert.equal((await raw('<a/>', 'text/xml')).status, 415);
      const large = (await raw(`{"x": "${'x'.repeat(5 * 1024 * 1024)}"}`)).status;
      assert.equal(large, 413);
    },
  );
});

describe('a body of another type than the route takes is 415', async () => {
  const stage = await seeded();
  const text = '{"name": "x"}';
  const form = '--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nx\r\n--b--\r\n';
  named(
    operations.filter(({ hasJsonBody, security }) => hasJsonBody && security === 'user'),
    async (operation) => {
      const path = filled(operation, (name) => stage.idFor(operation, name));
      for (const [type, body] of [
        ['text/plain', text],
        ['text/plain; charset=utf-8', text],
        ['application/x-www-form-urlencoded', 'name=x'],
        ['application/octet-stream', text],
        ['application/jsonp', text],
        ['multipart/form-data; boundary=b', form],
        ['multipart/form-data', form],
        ['nonsense', text],
        ['', text],
        [undefined, text],
      ] as const) {
        if (operation.types.some((taken) => type?.startsWith(taken))) continue;
        const answer = await stage.admin.fetch(path, {
          method: operation.method,
          // For a Blob without a type, fetch sends no content type.
          ...(type === undefined ? {} : { headers: { 'content-type': type } }),
          body: new Blob([body]),
        });
        assert.equal(answer.status, 415, `${type}: ${await answer.clone().text()}`);
        assert.equal(typeof ((await answer.json()) as { detail: unknown }).detail, 'string');
      }
    },
  );

  it('POST /cogs/upload-file takes no JSON', async () => {
    const answer = await stage.admin.post('/cogs/upload-file', { parent_id: 1 });
    assert.equal(answer.status, 415, JSON.stringify(answer.body));
  });
});

describe('every answer', () => {
  it('has a request id, with and without a trailing slash', async () => {
    const { admin } = await seeded();
    for (const path of [
      '/cogs',
      '/cogs/',
      '/workflows',
      '/workflows/',
      '/me',
      '/me/',
      '/workers',
      '/workers/',
    ]) {
      const answer = await admin.get(path);
      assert.equal(answer.status, 200, path);
      assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    }
  });
});

describe('an API key that may only read', async () => {
  const stage = await seeded();
  const { body } = await stage.owner.post('/api-keys', { description: 'law', access: 'read' });
  const token = await client(server.url).post('/api-keys/token', { api_key: body.access_key });
  const reader = client(server.url, token.body.access_token);
  const mayRead = new Set(['GET', 'HEAD']);
  named(
    operations.filter(({ security }) => security === 'user'),
    async (operation) => {
      const path = filled(operation, (name) => stage.idFor(operation, name));
      for (const headers of [{}, { 'x-api-key': body.access_key }]) {
        const from = 'x-api-key' in headers ? client(server.url) : reader;
        const cut = new AbortController();
        const answer = await from.fetch(path, {
          method: operation.method,
          headers: { ...headers, accept: 'application/json' },
          signal: cut.signal,
        });
        const isRefused =
          answer.status === 403 && (await answer.clone().text()).includes('read_only_key');
        const isReading =
          mayRead.has(operation.method) || operation.id === 'validateWorkflowVersion';
        assert.equal(isRefused, !isReading);
        cut.abort();
      }
    },
  );
});
