/**
 * A proxy between podman and a registry while one image is pulled. Podman itself would follow all
 * addresses a registry names: for tokens, in redirects, in the manifest. With this it calls only
 * the relay, on loopback, and the relay calls the registry as registry-allow.ts permits. Podman
 * does not get the credentials either.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { ImageReference } from '@cogworks/graph/image-reference';
import type { Registry } from './registry.ts';
import { readText } from './registry-calls.ts';
import { notPulled } from './registry-errors.ts';

export type Relay = {
  /** The registries.conf that makes podman call the relay for the image, which keeps its name. */
  settings: string;
  /** Why the registry could not be reached, if so. */
  fault(): Error | undefined;
  close(): Promise<void>;
};

const passedOn = ['content-type', 'content-length', 'docker-content-digest'];

export async function openRelay(image: ImageReference, registry: Registry): Promise<Relay> {
  // Part of the path, because other users of the machine can call this port too.
  const key = randomBytes(16).toString('hex');
  const prefix = `/v2/${key}/${image.repository}/`;
  let fault: Error | undefined;
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      fault ??= error;
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { method, url = '' } = request;
    if (url === '/v2/') return void response.writeHead(200).end('{}');
    const path = url.startsWith(prefix) ? url.slice(prefix.length) : '';
    const isImage = /^(manifests|blobs)\/[\w.:-]+$/.test(path);
    if (!isImage || (method !== 'GET' && method !== 'HEAD')) {
      return void response.writeHead(404).end();
    }
    const { accept } = request.headers;
    const upstream = await registry.open(method, path, accept);
    const headers = Object.fromEntries(
      passedOn.flatMap((name) => {
        const value = upstream.headers[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
    const isManifest = path.startsWith('manifests/') && upstream.statusCode === 200;
    if (method === 'GET' && isManifest) {
      const text = await readText(upstream);
      if (namesOtherPlaces(text)) {
        throw notPulled(image, 'its manifest leads to layers outside the registry.');
      }
      return void response.writeHead(200, headers).end(text);
    }
    response.writeHead(upstream.statusCode ?? 502, headers);
    return pipeline(upstream, response);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    settings: [
      '[[registry]]',
      `prefix = "${image.registry}/${image.repository}"`,
      `location = "127.0.0.1:${port}/${key}/${image.repository}"`,
      'insecure = true',
      '',
    ].join('\n'),
    fault: () => fault,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Podman itself would fetch the `urls` of a layer. Only very old Windows images need them. */
function namesOtherPlaces(manifest: string): boolean {
  let found = false;
  JSON.parse(manifest, (name, value) => {
    if (name === 'urls' && Array.isArray(value) && value.length > 0) found = true;
    return value;
  });
  return found;
}
