import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../server/test/cast.ts';
import { createClient, operationPath, queryString } from './client.ts';
import { ApiError } from './errors.ts';

/** A network that gives these answers in turn, and records the requests. */
function network(...answers: (Response | Error)[]) {
  const requests: { url: string; init: RequestInit }[] = [];
  const fetch = async (url: unknown, init?: RequestInit) => {
    requests.push({ url: String(url), init: init ?? {} });
    const answer = answers.shift();
    if (!answer) throw new Error('asked more often than expected');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { fetch: fetch as typeof globalThis.fetch, requests };
}

const soon = { headers: { 'retry-after': '0' } };
const ok = () => Response.json({ status: 'ok' });

describe('a client of the real service', () => {
  it('has a method for each operation', async () => {
    const { server, owner } = await cast();
    const client = createClient({ baseUrl: `${server.url}/`, token: () => owner.token });

    assert.equal((await client.getMe()).email, owner.user.email);
    assert.equal((await client.changeMe({ body: { first_name: 'Ada' } })).first_name, 'Ada');
  });

  it('throws what the service says, with all fields at fault', async () => {
    const { server, owner } = await cast();
    const client = createClient({ baseUrl: server.url, token: () => owner.token });

    const error = await client.changeMe({ body: { first_name: '' } }).catch((e: unknown) => e);

    assert.ok(error instanceof ApiError);
    assert.equal(error.status, 422);
    assert.deepEqual(error.fields[0]?.loc, ['body', 'first_name']);
    assert.match(error.message, /^first_name: /);
  });

  it('asks for a newer token once when one is refused', async () => {
    const { server, owner } = await cast();
    const refused: (string | undefined)[] = [];
    const client = createClient({
      baseUrl: server.url,
      token: (old) => {
        refused.push(old);
        return old ? owner.token : 'stale';
      },
    });

    assert.equal((await client.getMe()).id, owner.user.id);
    assert.deepEqual(refused, [undefined, 'stale']);
  });

  it('gives up when the newer token is refused as well', async () => {
    const { server } = await cast();
    let count = 0;
    const client = createClient({ baseUrl: server.url, token: () => `bad${count++}` });

    await assert.rejects(client.getMe(), { status: 401 });
    assert.equal(count, 2);
  });
});

describe('a client on a bad network', () => {
  it('repeats a GET until it succeeds', async () => {
    const { fetch, requests } = network(
      new TypeError('fetch failed'),
      new Response('', { status: 503, ...soon }),
      ok(),
    );
    await createClient({ baseUrl: 'http://x', fetch }).getHealth();
    assert.equal(requests.length, 3);
  });

  it('does not repeat a change, which may have happened', async () => {
    const { fetch, requests } = network(new TypeError('fetch failed'));
    const client = createClient({ baseUrl: 'http://x', fetch });

    await assert.rejects(client.changeMe({ body: {} }), TypeError);
    assert.equal(requests.length, 1);
  });

  it('repeats a change that is over the limit, or has an idempotency key', async () => {
    const { fetch, requests } = network(
      Response.json({ detail: 'slow down' }, { status: 429, ...soon }),
      new TypeError('fetch failed'),
      Response.json({}),
    );
    const client = createClient({ baseUrl: 'http://x', fetch });
    await client.changeMe({ body: {}, idempotencyKey: 'k1' });

    assert.equal(requests.length, 3);
    assert.equal(new Headers(requests[2]?.init.headers).get('idempotency-key'), 'k1');
  });

  it('tries as often as it is told to', async () => {
    const failing = Array.from({ length: 6 }, () => new Response('', { status: 503, ...soon }));
    const { fetch, requests } = network(...failing, ok());
    const client = createClient({ baseUrl: 'http://x', fetch });

    await assert.rejects(client.getHealth({ attempts: 2 }), { status: 503 });
    assert.equal(requests.length, 2);
  });

  it('stops waiting when it is told to', async () => {
    const { fetch } = network(new Response('', { status: 429, headers: { 'retry-after': '30' } }));
    const stop = new AbortController();
    const asked = createClient({ baseUrl: 'http://x', fetch }).getHealth({ signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 20);

    await assert.rejects(asked, /enough/);
  });

  it('makes an error of a page that is not JSON', async () => {
    const { fetch } = network(new Response('<h1>Bad gateway</h1>', { status: 500 }));
    await assert.rejects(createClient({ baseUrl: 'http://x', fetch }).getHealth(), {
      status: 500,
      message: 'The service answered with status 500.',
    });
  });
});

describe('the address of an operation', () => {
  it('leaves out what is not given and repeats what is given in a list', () => {
    assert.equal(queryString({ a: 1, b: undefined, c: ['x', 'y z'] }), '?a=1&c=x&c=y+z');
    assert.equal(queryString({}), '');
  });

  it('is the path of the contract', () => {
    assert.equal(operationPath('getMe'), '/me');
  });
});
