import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { parseImage } from '@cogworks/graph/image-reference';
import { askDigest } from './manifest.ts';
import { openRegistry } from './registry.ts';
import { allowNothing } from './registry-allow.ts';

const digest = `sha256:${'1'.repeat(64)}`;

/** Asks a registry that answers in this order. */
async function ask(
  answers: ((answer: ServerResponse) => void)[],
  { isOwn = true, signal = new AbortController().signal } = {},
) {
  const methods: (string | undefined)[] = [];
  const said: string[] = [];
  const server = createServer(({ method }, answer) => {
    methods.push(method);
    const next = answers.shift();
    if (next) next(answer);
    answer.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const image = parseImage(`127.0.0.1:${port}/tools/text:1`);
  if (!image) throw new Error('That is no image.');
  const registry = openRegistry(image, null, { ...allowNothing, loopback: true }, signal);
  try {
    const say = (words: string) => void said.push(words);
    const found = await askDigest(image, registry, { auth: null, isOwn, signal, say });
    return { found, methods, said };
  } finally {
    server.close();
  }
}

const soon = (answer: ServerResponse) => {
  answer.writeHead(404, { 'retry-after': '1', 'content-type': 'application/json' });
  answer.write(JSON.stringify({ errors: [{ message: 'It is being made.' }] }));
};
const there = (answer: ServerResponse) =>
  answer.writeHead(200, { 'docker-content-digest': digest });
const missing = (answer: ServerResponse) => {
  answer.writeHead(404, { 'content-type': 'application/json' });
  answer.write(JSON.stringify({ errors: [{ message: 'It could not be made.' }] }));
};

describe('the digest of an image', () => {
  it('is awaited while the registry says that it will have it soon', async () => {
    // Between asking again there is a GET, because a HEAD has no words.
    const methods = ['HEAD', 'GET', 'HEAD', 'GET', 'HEAD'];
    const own = await ask([soon, soon, soon, soon, there]);
    assert.deepEqual(own, { found: digest, methods, said: ['It is being made.'] });
    const busy = (answer: ServerResponse) => answer.writeHead(503, { 'retry-after': '1' });
    const other = await ask([busy, there], { isOwn: false });
    assert.deepEqual(other, { found: digest, methods: ['HEAD', 'HEAD'], said: [] });
  });

  it('is awaited no longer by who has no use for it any more', async () => {
    const stop = new AbortController();
    const forNobody = (answer: ServerResponse) => {
      soon(answer);
      setImmediate(() => stop.abort());
    };
    await assert.rejects(ask([forNobody], { signal: stop.signal }), { name: 'AbortError' });
  });

  it('is not there for a reason that only the own registry tells users', async () => {
    await assert.rejects(ask([missing, missing]), /has no image .*\. It could not be made\.$/);
    await assert.rejects(
      ask([missing, missing], { isOwn: false }),
      /has no image tools\/text:1\.$/,
    );
  });
});
