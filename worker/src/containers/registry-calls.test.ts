import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { RefusedAddress } from '@cogworks/sdk/outbound/guarded-call';
import { allowNothing } from './registry-allow.ts';
import { registryCalls } from './registry-calls.ts';

const { signal } = new AbortController();
const seen: (string | undefined)[] = [];
const server = createServer(({ headers: { authorization } }, answer) => {
  seen.push(authorization);
  if (!authorization) answer.writeHead(401, { 'www-authenticate': 'Basic realm="x"' });
  answer.end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => {
  server.close();
  server.closeAllConnections();
});

const own = `cogworks.lan:${(server.address() as AddressInfo).port}`;
const auth = { username: 'tenant', password: 'credentials' };
const resolve = async () => ['127.0.0.1'];

describe('calls of a registry', () => {
  it('are of plain HTTP for that of a server that has no other address', async () => {
    const allow = { ...allowNothing, own, own_is_plain: true };

    const answer = await registryCalls(own, auth, allow, signal, { resolve }).ask('GET', '');

    assert.equal(answer.resume().statusCode, 200);
    assert.deepEqual(seen.splice(0), [undefined, `Basic ${btoa('tenant:credentials')}`]);
  });

  it('are never of plain HTTP for any other', async () => {
    const others = [
      { ...allowNothing, own: 'other.lan', own_is_plain: true },
      { ...allowNothing, own },
    ];
    for (const allow of others) {
      const calls = registryCalls(own, auth, allow, signal, { resolve });
      await assert.rejects(calls.ask('GET', ''), (error: NodeJS.ErrnoException) => {
        assert.ok(
          error instanceof RefusedAddress || /SSL|EPROTO/.test(`${error.code}`),
          `${error}`,
        );
        return true;
      });
    }
    assert.deepEqual(seen, []);
  });
});
