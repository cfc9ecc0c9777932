import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { guardedCall, RefusedAddress } from './guarded-call.ts';

const paths: (string | undefined)[] = [];
const server = createServer((request, response) => {
  paths.push(request.url);
  response.end('answer');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const { port } = server.address() as AddressInfo;

const ask = (
  host: string,
  isAllowed: (address: string) => boolean,
  addresses: string[] = ['127.0.0.1'],
) =>
  guardedCall(new URL(`http://${host}:${port}/${host}`), {
    ...{ method: 'POST', body: 'message', isAllowed, resolve: async () => addresses },
    signal: AbortSignal.timeout(10_000),
  }).then((answer) => answer.resume().statusCode);

describe('a guarded call', () => {
  it('is made to the addresses that its name has, if all of them are allowed', async () => {
    const isAllowed = (address: string) => address === '127.0.0.1';
    assert.equal(await ask('allowed.example', isAllowed), 200);
    for (const addresses of [['127.0.0.2'], ['127.0.0.1', '10.0.0.1'], []]) {
      await assert.rejects(ask('refused.example', isAllowed, addresses), RefusedAddress);
    }
    await assert.rejects(
      ask('127.0.0.1', () => false),
      RefusedAddress,
    );
    assert.deepEqual(paths, ['/allowed.example']);
  });

  it('sends nothing if the connection was made to another address', async () => {
    const checked: string[] = [];
    const isFirst = (address: string) => checked.push(address) === 1;
    await assert.rejects(ask('changed.example', isFirst), RefusedAddress);
    assert.deepEqual(checked, ['127.0.0.1', '127.0.0.1']);
    assert.ok(!paths.includes('/changed.example'));
  });

  it('ends when the other side ends it, whatever it sends instead of an answer', async (t) => {
    const odd = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(texts[asked++] ?? ''));
    }).listen(0, '127.0.0.1');
    await once(odd, 'listening');
    t.after(() => odd.close());
    const switching =
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
    const texts = [switching, 'HTTP/1.1 100 Continue\r\n\r\n', ''];
    let asked = 0;
    const url = new URL(`http://127.0.0.1:${(odd.address() as AddressInfo).port}/`);
    const signal = AbortSignal.timeout(10_000);
    for (const _ of texts) {
      const call = guardedCall(url, { method: 'POST', isAllowed: () => true, signal });
      const limit = once(signal, 'abort').then(() => assert.fail('It did not end.'));
      await assert.rejects(Promise.race([call, limit]), { code: 'ECONNRESET' });
    }
  });

  it('uses no proxy of the environment', async () => {
    const script = `
      import { guardedCall } from ${JSON.stringify(import.meta.resolve('./guarded-call.ts'))};
      const answer = await guardedCall(new URL('http://127.0.0.1:${port}/direct'), {
        method: 'POST', isAllowed: () => true, signal: AbortSignal.timeout(10_000),
      });
      answer.resume();
      console.log(answer.statusCode);
    `;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { env: { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9' } },
    );
    assert.equal(stdout.trim(), '200');
  });
});
