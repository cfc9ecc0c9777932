import assert from 'node:assert/strict';
import { appendFile, rm, truncate } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { cast } from '../../../../test/cast.ts';
import { startServer } from '../../../../test/server.ts';

const content = 'content of a file. '.repeat(50);

const damages = {
  missing: (path: string) => rm(path),
  truncated: (path: string) => truncate(path, 500),
  overlong: (path: string) => appendFile(path, 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nlie'),
};

const log: string[] = [];
const serverWithLog = startServer(
  {},
  pino({ level: 'warn' }, { write: (line) => void log.push(line) }),
);

async function aFile(bytes: string | Uint8Array<ArrayBuffer> = content) {
  const server = await serverWithLog;
  const { owner } = await cast(server);
  const { db, storage, config } = server.services;
  const { id } = (await owner.upload('file.txt', bytes)).body;
  const [row] = await db<{ key: string }[]>`
    select key from objects join cogs on object_id = objects.id where cogs.id = ${id}
  `;
  const key = row?.key ?? '';
  return {
    server,
    key,
    path: join(config.storage_dir, 'objects', key),
    routes: {
      download: { path: `/cogs/${id}/download`, token: owner.token },
      presigned: {
        path: (await storage.presign('GET', key, { expires_in: 60 })).slice(server.url.length),
        token: 'none',
      },
    },
  };
}

/** Sends two requests on one connection, so that the second shows where the first answer ended. */
function onOneConnection(
  url: string,
  { path, token }: { path: string; token: string },
  { method = 'GET', range = '' } = {},
  onBytes: (sofar: number) => void = () => {},
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${token}`,
    ...(range ? [`range: ${range}`] : []),
    '',
    'GET /healthz HTTP/1.1',
    'host: x',
    'connection: close',
    '',
    '',
  ];
  socket.write(lines.join('\r\n'));
  let answer = '';
  return new Promise((resolve) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
      onBytes(answer.length);
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}

const damagedSoFar = async (damage: string) => {
  const { registry } = (await serverWithLog).services.metrics;
  const { values = [] } = (await registry.getMetricsAsJSON()).find(
    ({ name }) => name === 'storage_damaged_objects_total',
  ) as { values?: { value: number; labels: { damage?: string } }[] };
  return values.find(({ labels }) => labels.damage === damage)?.value ?? 0;
};

describe('a stored file that is damaged', () => {
  for (const [damage, inflict] of Object.entries(damages)) {
    for (const route of ['download', 'presigned'] as const) {
      for (const request of [{}, { range: 'bytes=0-9' }, { method: 'HEAD' }]) {
        const name = `${damage}, ${route}, ${Object.values(request)[0] ?? 'whole'}`;
        it(`is answered with an error, and the connection ends: ${name}`, async () => {
          const { server, path, key, routes } = await aFile();
          await inflict(path);
          const before = await damagedSoFar(damage);
          log.length = 0;

          const answer = await onOneConnection(server.url, routes[route], request);

          const [head = '', body = '', ...more] = answer.split('\r\n\r\n');
          assert.match(head, /^HTTP\/1\.1 500 /);
          assert.match(head, /^connection: close$/im);
          assert.doesNotMatch(head, /^(content-range|etag):/im);
          assert.deepEqual(more, []);
          assert.equal(await damagedSoFar(damage), before + 1);
          const told = log.map((line) => JSON.parse(line)).find((line) => line.damage === damage);
          assert.equal(told.msg, 'a stored object is damaged');
          assert.deepEqual([told.key, told.size_bytes], [key, content.length]);
          if ('method' in request) return;
          const { code, error_id } = JSON.parse(body);
          assert.deepEqual([code, error_id], ['object_damaged', told.error_id]);
        });
      }
    }
  }

  it('that is cut while it is sent ends the connection, with nothing in place of its rest', async () => {
    const size = 64 * 1024 * 1024;
    const { server, path, routes } = await aFile(new Uint8Array(size));
    log.length = 0;
    let cut: Promise<void> | undefined;

    const answer = await onOneConnection(server.url, routes.download, {}, () => {
      cut ??= truncate(path, 1000);
    });

    await cut;
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.ok(answer.length < size);
    assert.doesNotMatch(answer, /"status":"ok"/);
    assert.ok(log.some((line) => JSON.parse(line).damage === 'truncated'));
  });

  it('that grows while it is sent gives its recorded bytes, and the next answer follows', async () => {
    const size = 16 * 1024 * 1024;
    const { server, path, routes } = await aFile(new Uint8Array(size));
    let grown: Promise<void> | undefined;

    const answer = await onOneConnection(server.url, routes.download, {}, () => {
      grown ??= appendFile(path, 'more');
    });

    await grown;
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    assert.match(body.slice(size), /^HTTP\/1\.1 200 [\s\S]*"status":"ok"/);
  });

  it('does not keep whole files from following on the same connection', async () => {
    const { server, routes } = await aFile();

    const answer = await onOneConnection(server.url, routes.presigned, { range: 'bytes=0-6' });

    assert.match(answer, /\r\n\r\ncontentHTTP\/1\.1 200 [\s\S]*"status":"ok"/);
  });
});
