import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import fastify from 'fastify';
import { openEventStream } from './event-stream.ts';

describe('an event stream', () => {
  it('is over at once when its client left before it was opened', async () => {
    const app = fastify();
    const { promise: isOver, resolve } = Promise.withResolvers<void>();
    app.get('/', async (request, reply) => {
      request.raw.socket.resume();
      // As happens while the credentials are being checked.
      await once(reply.raw, 'close');
      openEventStream(reply, 1024, resolve);
      return reply;
    });
    const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(url.port), url.hostname);
    socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.destroySoon();

    await isOver;

    await app.close();
    assert.equal(app.server.listening, false);
  });
});
