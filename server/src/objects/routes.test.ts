import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { cast } from '../../test/cast.ts';
import { objectGoesLive, recordObject } from '../../test/objects.ts';
import type { DiskStorage } from '../storage/disk.ts';
import { markDead, noteWhatIsStored } from './objects.ts';
import { findObjectByKey } from './queries.ts';

async function pending(size_bytes = 5) {
  const { server, owner } = await cast();
  const { db, storage } = server.services;
  const tenantId = owner.user.tenant_id;
  const object = await recordObject(db, tenantId, 600);
  return {
    ...object,
    db,
    storage,
    tenantId,
    url: (method: 'GET' | 'PUT', expires_in = 60) =>
      storage.presign(method, object.key, { expires_in, size_bytes }),
  };
}

const put = (url: string, body: string, headers = {}) =>
  fetch(url, { method: 'PUT', body, headers });

describe('a presigned URL', () => {
  it('stores the bytes of any type and gives them back, whole and in part', async () => {
    const { url, db, key } = await pending();

    for (const type of ['application/json', 'multipart/form-data', 'x/y']) {
      const answer = await put(await url('PUT'), '{"a":', { 'content-type': type });
      assert.equal(answer.status, 200, type);
      const digest = createHash('sha256').update('{"a":').digest('hex');
      assert.equal(answer.headers.get('etag'), `"${digest}"`);
      assert.match(answer.headers.get('access-control-expose-headers') ?? '', /ETag/);
    }

    assert.equal((await findObjectByKey(db, key))?.size_bytes, 5);
    assert.equal(await (await fetch(await url('GET'))).text(), '{"a":');
    const part = await fetch(await url('GET'), { headers: { range: 'bytes=1-2' } });
    assert.deepEqual([part.status, await part.text()], [206, '"a']);
    const head = await fetch(await url('GET'), { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '5']);
  });

  it('stores nothing at all, which is bytes too', async () => {
    const { url, db, key } = await pending(0);
    assert.equal((await put(await url('PUT'), '')).status, 200);
    assert.equal((await findObjectByKey(db, key))?.size_bytes, 0);
    assert.equal(await (await fetch(await url('GET'))).text(), '');
  });

  it('is good for one method, one key, its time and its size alone', async () => {
    const { url } = await pending(5);
    const other = await pending(5);
    const good = new URL(await url('PUT'));
    const elsewhere = new URL(await other.url('PUT')).pathname;
    const changed = (change: (url: URL) => void) => {
      const copy = new URL(good);
      change(copy);
      return copy.href;
    };
    const bad = [
      changed((u) => u.searchParams.set('size', '6')),
      changed((u) => u.searchParams.delete('size')),
      changed((u) => u.searchParams.set('expires', '9999999999')),
      changed((u) => u.searchParams.set('signature', '')),
      changed((u) => u.searchParams.append('signature', 'x')),
      changed((u) => {
        u.pathname = elsewhere;
      }),
      changed((u) => {
        u.pathname += '/../x';
      }),
      await url('PUT', -1),
      await url('GET'),
    ];
    for (const href of bad) assert.equal((await put(href, 'x')).status, 403, href);
    assert.equal((await fetch(good)).status, 403);
    assert.equal((await put(good.href, '123456')).status, 413);
    assert.equal((await put(good.href, '1234')).status, 400);
    assert.equal((await put(good.href, '12345')).status, 200);
  });

  it('refuses what is too large also when no length is told', async () => {
    const { url, db, key } = await pending(5);
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('123456'));
        controller.close();
      },
    });

    const answer = await fetch(await url('PUT'), {
      method: 'PUT',
      body,
      duplex: 'half',
    } as RequestInit);

    assert.equal(answer.status, 413);
    assert.equal((await findObjectByKey(db, key))?.size_bytes, undefined);
  });

  it('does not replace what went live while its bytes came in', async () => {
    const { url, db, id, tenantId } = await pending(11);
    const slow = request(await url('PUT'), { method: 'PUT' });
    const status = new Promise((resolve) => slow.once('response', (r) => resolve(r.statusCode)));
    slow.write('other ');
    await setTimeout(100);
    assert.equal((await put(await url('PUT'), 'good bytes.')).status, 200);
    await objectGoesLive(db, tenantId, id);
    slow.end('bytes');

    assert.equal(await status, 409);
    assert.equal(await (await fetch(await url('GET'))).text(), 'good bytes.');
  });

  it('never leaves bytes with the checksum of earlier ones, even if the server dies', async () => {
    const { url, db, storage, id, key, tenantId } = await pending(5);
    assert.equal((await put(await url('PUT'), 'first')).status, 200);
    const disk = storage as DiskStorage;
    const { receive } = disk;
    disk.receive = (object, bytes, options, place) =>
      receive(object, bytes, options, (stored, move) =>
        place(stored, async () => {
          await move();
          throw new Error('killed before the commit');
        }),
      );
    assert.equal((await put(await url('PUT'), 'other')).status, 500);
    disk.receive = receive;

    await noteWhatIsStored({ db, storage }, tenantId, [id]);

    const digest = createHash('sha256').update('other').digest('hex');
    assert.equal((await findObjectByKey(db, key))?.checksum_sha256, digest);
    assert.equal(await (await fetch(await url('GET'))).text(), 'other');
  });

  it('finds nothing before the bytes are there, and replaces nothing that is live', async () => {
    const { url, db, tenantId, id } = await pending(4);
    assert.equal((await fetch(await url('GET'))).status, 404);
    await put(await url('PUT'), 'live');
    await objectGoesLive(db, tenantId, id);

    const onLive = await put(await url('PUT'), 'other');
    assert.deepEqual(
      [onLive.status, ((await onLive.json()) as { code: string }).code],
      [409, 'object_is_live'],
    );
    assert.equal(await (await fetch(await url('GET'))).text(), 'live');
  });

  it('finds nothing when the object is dead', async () => {
    const { url, db, tenantId, id } = await pending(6);
    assert.equal((await put(await url('PUT'), 'stored')).status, 200);
    await markDead(db, tenantId, [id]);
    assert.equal((await put(await url('PUT'), 'x')).status, 404);
    assert.equal((await fetch(await url('GET'))).status, 404);
  });

  it('takes a few bodies at once, of which the last one counts, and ends the earliest', async () => {
    const { url, db, key } = await pending(1_000_000);
    const target = await url('PUT');
    let ended = 0;
    const twoEnded = Promise.withResolvers<void>();
    const stalled = Array.from({ length: 6 }, () => {
      const sending = request(target, { method: 'PUT', headers: { 'content-length': 1_000_000 } });
      sending
        .on('error', () => {})
        .once('close', () => {
          ended += 1;
          if (ended === 2) twoEnded.resolve();
        });
      sending.write('half of it');
      return sending;
    });
    await twoEnded.promise;

    const whole = await put(target, 'x'.repeat(1_000_000));

    assert.equal(whole.status, 200);
    assert.equal((await findObjectByKey(db, key))?.size_bytes, 1_000_000);
    for (const sending of stalled) sending.destroy();
  });

  it('may be used by a page of another origin', async () => {
    const { url } = await pending();
    const answer = await fetch(await url('PUT'), { method: 'OPTIONS' });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.match(answer.headers.get('access-control-allow-methods') ?? '', /PUT/);
  });
});
