import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { allowNothing, mayCall, parseRegistryAllow } from '../../src/containers/registry-allow.ts';
import { type Fixture, never, openFixture } from './fixture.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(handler: Handler) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    handler(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { host, requests };
}

/**
 * Stands for a service that only the worker's machine can reach. It gives a token to every client.
 */
const inside = await listen((_, response) => response.end('{"token":"t"}'));

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const config = '{"architecture":"amd64","os":"linux","rootfs":{"type":"layers","diff_ids":[]}}';

/** A registry whose one image has a layer that is nowhere; `blob` answers for it. */
function registryWith(layer: object, blob: Handler): Promise<{ host: string }> {
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
    config: {
      mediaType: 'application/vnd.docker.container.image.v1+json',
      size: config.length,
      digest: digestOf(config),
    },
    layers: [{ size: 5, digest: digestOf('layer'), ...layer }],
  });
  return listen((request, response) => {
    if (request.url?.includes('/manifests/')) {
      response.writeHead(200, {
        'content-type': 'application/vnd.docker.distribution.manifest.v2+json',
        'docker-content-digest': digestOf(manifest),
        'content-length': manifest.length,
      });
      return response.end(request.method === 'HEAD' ? undefined : manifest);
    }
    if (request.url?.endsWith(digestOf(config))) return response.end(config);
    if (request.url?.includes('/blobs/')) return blob(request, response);
    return response.end('{}');
  });
}

const plain = { mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip' };
const foreign = { mediaType: 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip' };
const to =
  (url: string): Handler =>
  (_, response) =>
    response.writeHead(307, { location: url }).end();
const challenge =
  (realm: string): Handler =>
  (_, response) =>
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="x"` }).end();

const opened = await openFixture();
const skip = typeof opened === 'string' && opened;
const fixture = opened as Fixture;

describe('a made-up registry', { skip }, () => {
  after(() => fixture.close());

  const auth = { username: 'tenant', password: 'credentials' };
  const traps: Record<string, () => Promise<{ host: string }>> = {
    'by the place of its tokens': () => listen(challenge(`http://${inside.host}/token`)),
    'by the place of its tokens, by name': () =>
      listen(challenge(`http://localhost:${inside.host.split(':')[1]}/token`)),
    'by the place of its tokens over TLS': () => listen(challenge(`https://${inside.host}/token`)),
    'by a redirect of its manifest': () => listen(to(`http://${inside.host}/manifest`)),
    'by a redirect of a layer': () => registryWith(plain, to(`http://${inside.host}/layer`)),
    'by a redirect of a layer to an address in disguise': () =>
      registryWith(plain, to(`http://[::ffff:${inside.host.replace(':', ']:')}/layer`)),
    'by a layer that lies elsewhere': () =>
      registryWith({ ...foreign, urls: [`http://${inside.host}/layer`] }, (_, response) =>
        response.writeHead(404).end(),
      ),
  };
  for (const [how, trap] of Object.entries(traps)) {
    it(`leads the worker nowhere inside ${how}`, async () => {
      const { host } = await trap();

      await assert.rejects(fixture.engine.pull(`${host}/made/up:1`, auth, never), {
        error_class: 'image_pull',
        message: /is not called by this worker|layers outside the registry/,
      });

      assert.deepEqual(inside.requests, []);
    });
  }

  it('gets no credentials on to where it redirects', async () => {
    const seen: (string | undefined)[] = [];
    const registry = await listen((request, response) => {
      seen.push(request.headers.authorization);
      if (!request.headers.authorization) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      } else to(`https://${inside.host}/manifest`)(request, response);
    });

    await assert.rejects(fixture.engine.pull(`${registry.host}/made/up:1`, auth, never));

    assert.equal(seen.length, 2);
    assert.deepEqual(inside.requests, []);
  });
});

describe('REGISTRY_ALLOW', () => {
  const cases: [allow: string, registry: string, url: string, address: string, may: boolean][] = [
    ['', 'registry.example', 'https://registry.example/v2/', '1.2.3.4', true],
    ['', 'registry.example', 'https://cdn.example/layer', '1.2.3.4', true],
    ['', 'registry.example', 'http://registry.example/v2/', '1.2.3.4', false],
    ['', 'registry.example', 'https://registry.example/v2/', '10.0.0.1', false],
    ['', 'registry.example', 'https://registry.example/v2/', '169.254.169.254', false],
    ['', '127.0.0.1:5000', 'http://127.0.0.1:5000/v2/', '127.0.0.1', false],
    ['loopback', '127.0.0.1:5000', 'http://127.0.0.1:5000/v2/', '127.0.0.1', true],
    ['loopback', 'localhost:5000', 'http://localhost:5000/v2/', '::1', true],
    ['loopback', '127.0.0.1:5000', 'http://127.0.0.1:5001/token', '127.0.0.1', false],
    ['loopback', '127.0.0.1:5000', 'https://127.0.0.1:5001/token', '127.0.0.1', false],
    ['loopback', 'registry.example', 'https://rebound.example/v2/', '127.0.0.1', false],
    ['127.0.0.1:5001', '127.0.0.1:5000', 'http://127.0.0.1:5001/token', '127.0.0.1', true],
    ['registry.in', 'registry.in', 'https://registry.in/v2/', '10.0.0.1', true],
    ['registry.in', 'registry.in', 'http://registry.in/v2/', '10.0.0.1', false],
    ['registry.in:443', 'registry.in', 'https://registry.in/v2/', '10.0.0.1', true],
    ['registry.in:5000', 'registry.in', 'https://registry.in/v2/', '10.0.0.1', false],
    ['10.0.0.0/8', 'registry.in', 'https://tokens.in/', '10.0.0.1', true],
    ['10.0.0.0/8', 'registry.in', 'https://tokens.in/', '192.168.0.1', false],
  ];
  for (const [allow, registry, url, address, may] of cases) {
    it(`"${allow}" lets an image of ${registry} ${may ? 'call' : 'not call'} ${url} at ${address}`, () => {
      const parsed = parseRegistryAllow(allow);
      assert.ok(parsed);
      assert.equal(mayCall(parsed, registry, new URL(url), address), may);
    });
  }

  it('is not needed for the registry of the server itself, and only for that', () => {
    const allow = { ...allowNothing, own: 'cogworks.in' };
    const may = (registry: string, url: string) =>
      mayCall(allow, registry, new URL(url), '10.0.0.1');

    assert.equal(may('cogworks.in', 'https://cogworks.in/v2/'), true);
    assert.equal(may('cogworks.in', 'http://cogworks.in/v2/'), false);
    assert.equal(may('cogworks.in', 'https://cogworks.in:8443/v2/'), false);
    assert.equal(may('cogworks.in', 'https://tokens.in/'), false);
    assert.equal(may('registry.example', 'https://cogworks.in/metrics'), false);
  });

  it('lets plain HTTP be spoken with the registry of a server that has no other address', () => {
    const allow = { ...allowNothing, own: 'cogworks.in:8080', own_is_plain: true };
    const may = (registry: string, url: string) =>
      mayCall(allow, registry, new URL(url), '10.0.0.1');

    assert.equal(may('cogworks.in:8080', 'http://cogworks.in:8080/v2/'), true);
    assert.equal(may('cogworks.in:8080', 'http://cogworks.in/v2/'), false);
    assert.equal(may('cogworks.in:8080', 'http://tokens.in/'), false);
    assert.equal(may('registry.example', 'http://cogworks.in:8080/metrics'), false);
    assert.equal(may('registry.example', 'http://registry.example/v2/'), false);
  });

  it('is not read from what is none', () => {
    for (const text of ['http://registry.in', 'a b', '*', 'host:port'])
      assert.equal(parseRegistryAllow(text), undefined);
  });
});
