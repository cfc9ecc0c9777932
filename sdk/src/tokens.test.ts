import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exchangeApiKey } from './tokens.ts';

/** An exchange that answers a new token each time. */
function exchange() {
  const sent: string[] = [];
  const fetch = async (_url: unknown, init?: RequestInit) => {
    sent.push(String(init?.body));
    await new Promise((resolve) => setTimeout(resolve, 5));
    return Response.json({ access_token: `t${sent.length}`, expires_in: 3600 });
  };
  return { fetch: fetch as typeof globalThis.fetch, sent };
}

describe('exchangeApiKey', () => {
  it('exchanges once for requests at the same time and after', async () => {
    const { fetch, sent } = exchange();
    const token = exchangeApiKey('http://x', 'sk_1', { fetch });

    assert.deepEqual(await Promise.all([token(), token()]), ['t1', 't1']);
    assert.equal(await token(), 't1');
    assert.deepEqual(sent, ['{"api_key":"sk_1"}']);
  });

  it('renews before the token ends', async () => {
    const { fetch } = exchange();
    let now = 0;
    const token = exchangeApiKey('http://x', 'sk_1', { fetch, now: () => now });
    await token();

    now = 3539_000;
    assert.equal(await token(), 't1');
    now = 3541_000;
    assert.equal(await token(), 't2');
  });

  it('renews what was refused, and not what is newer already', async () => {
    const { fetch } = exchange();
    const token = exchangeApiKey('http://x', 'sk_1', { fetch });
    await token();

    assert.equal(await token('t1'), 't2');
    assert.equal(await token('t1'), 't2');
  });

  it('repeats a renewal when the network fails, but not the first exchange', async () => {
    const { fetch } = exchange();
    let failures = 1;
    const flaky: typeof fetch = (input, init) =>
      failures-- > 0 ? Promise.reject(new TypeError('fetch failed')) : fetch(input, init);
    const token = exchangeApiKey('http://x', 'sk_1', { fetch: flaky });

    await assert.rejects(async () => token(), TypeError);
    assert.equal(await token(), 't1');
    failures = 1;
    assert.equal(await token('t1'), 't2');
  });
});
