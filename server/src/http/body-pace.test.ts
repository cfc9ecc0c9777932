import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../test/cast.ts';
import { startServer } from '../../test/server.ts';
import { slowness } from './body-pace.ts';

const pace = {
  whole_ms: 30_000,
  still_ms: 60_000,
  bytes_per_second: 1000,
  grace_ms: 60_000,
  look_every_ms: 5,
};

describe('a body', () => {
  for (const [sentence, streams, waited_ms, still_ms, bytes, answer] of [
    ['that is read as a whole may take its time', false, 30_000, 29_000, 0, undefined],
    ['that is read as a whole takes too long', false, 30_001, 0, 1e6, /within 30 s/],
    ['that streams may pause', true, 70_000, 60_000, 1e6, undefined],
    ['that streams stands still', true, 70_000, 60_001, 1e6, /No byte came for 60 s/],
    ['that streams begins as slowly as it likes', true, 60_000, 0, 1, undefined],
    ['that streams trickles', true, 160_000, 0, 99_999, /less than 1000 bytes a second/],
    ['that streams goes on for hours', true, 36e6, 0, 36e6, undefined],
  ] as const) {
    it(sentence, () => {
      const found = slowness({ streams, waited_ms, still_ms, bytes }, pace);
      if (answer === undefined) assert.equal(found, undefined);
      else assert.match(found ?? '', answer);
    });
  }
});

describe('a server', async () => {
  const server = await startServer({}, undefined, {
    limits: { bodies: { ...pace, whole_ms: 20, still_ms: 20 } },
  });
  const { owner } = await cast(server);

  /** Sends the head of a request and the start of its body. @returns the whole response. */
  const begin = async (by: Client | undefined, path: string, headers: string, body: string) => {
    const { port, hostname } = new URL(server.url);
    const socket: Socket = connect(Number(port), hostname);
    const authorization = by ? `authorization: Bearer ${by.token}\r\n` : '';
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${authorization}${headers}\r\n\r\n${body}`);
    let text = '';
    socket.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    await once(socket, 'close');
    return text;
  };

  it('answers 408 to JSON that does not come, and closes', async () => {
    const head = 'content-type: application/json\r\ncontent-length: 1000';
    const text = await begin(owner, '/cogs/', head, '{');

    assert.match(text, /^HTTP\/1\.1 408 /);
    assert.match(text, /"detail":"The body has to be here within/);
  });

  it('closes after a refusal too, when the body does not come', async () => {
    const head = 'content-type: application/json\r\ntransfer-encoding: chunked';
    const text = await begin(undefined, '/cogs/', head, '1\r\n{\r\n');

    assert.match(text, /^HTTP\/1\.1 401 /);
  });

  it('ends an upload that stands still, and keeps nothing of it', async () => {
    const head = 'content-type: multipart/form-data; boundary=B\r\ncontent-length: 100000';
    const part =
      '--B\r\ncontent-disposition: form-data; name="file"; filename="slow.txt"\r\n\r\nbytes';
    const text = await begin(owner, '/cogs/upload-file', head, part);

    assert.match(text, /^HTTP\/1\.1 408 /);
    assert.match(text, /"detail":"No byte came for/);
    assert.deepEqual((await owner.get('/cogs/search?q=slow')).body, []);
    assert.equal((await owner.upload('quick.txt', 'bytes')).status, 201);
  });
});

describe('connections', () => {
  it('are limited per address, and free again', async () => {
    const server = await startServer({}, undefined, {
      limits: { connections: { in_all: 100, per_address: 3 } },
    });
    const { port, hostname } = new URL(server.url);
    const open = async () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    };
    const sockets = [await open(), await open(), await open()];

    const fourth = await open();
    await once(fourth, 'close');
    for (const socket of sockets) {
      assert.equal(socket.destroyed, false);
      socket.end();
      await once(socket.resume(), 'close');
    }
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  });
});
