import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { limitedPeople } from '../../../test/quota.ts';
import {
  digestOf,
  pushBlob,
  pushImage,
  putManifest,
  type Registry,
  registryClient,
} from '../../../test/registry.ts';
import { startServer, type TestServer, testServer } from '../../../test/server.ts';
import { usualLimits } from '../../limits.ts';
import { collectDeadObjects, collectReleased } from '../../objects/objects.ts';
import { endExpiredImageUploads } from './uploads.ts';

async function stage(given?: TestServer) {
  const people = await cast(given);
  const { server, owner, editor } = people;
  const { db } = server.services;
  const registry = await registryClient(server, owner);
  const tenantId = owner.user.tenant_id;
  const name = `t${tenantId}/tool`;
  /** How many objects of the tenant are in each state. */
  const objects = async () => {
    const rows = await db<{ state: string; count: number }[]>`
      select state, count(*)::int as count from objects where tenant_id = ${tenantId} group by state
    `;
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  };
  return { ...people, registry, theirs: await registryClient(server, editor), name, objects };
}

async function begin(registry: Registry, name: string) {
  const { status, headers } = await registry('POST', `${name}/blobs/uploads/`);
  assert.equal(status, 202);
  return String(headers.get('location'));
}

const chunk = (start: number, end: number) => ({ 'content-range': `${start}-${end}` });

describe('an upload to the registry', () => {
  it('takes a blob in one request, after the first or with it', async () => {
    const { registry, name, objects } = await stage();
    const digest = digestOf('whole');

    const url = await begin(registry, name);
    const put = await registry('PUT', `${url}?digest=${digest}`, { body: 'whole' });
    assert.deepEqual(
      [put.status, put.headers.get('location'), put.headers.get('docker-content-digest')],
      [201, `/v2/${name}/blobs/${digest}`, digest],
    );
    const other = digestOf('at once');
    const post = `${name}/blobs/uploads/?digest=${other}`;
    assert.equal((await registry('POST', post, { body: 'at once' })).status, 201);
    assert.equal((await registry('GET', `${name}/blobs/${other}`)).text, 'at once');
    assert.deepEqual(await objects(), { live: 2 });
  });

  it('takes pieces in their order, tells how far it is, and refuses others', async () => {
    const { registry, name, objects } = await stage();
    const url = await begin(registry, name);
    const status = async () => (await registry('GET', url)).headers.get('range');
    const send = (body: string, start: number, end: number) =>
      registry('PATCH', url, { body, headers: chunk(start, end) });

    assert.equal(await status(), '0-0');
    const first = await send('0123', 0, 3);
    assert.deepEqual([first.status, first.headers.get('range')], [202, '0-3']);
    const early = await send('89', 8, 9);
    assert.deepEqual([early.status, early.code], [416, 'BLOB_UPLOAD_INVALID']);
    assert.equal((await send('0123', 0, 3)).status, 416);
    assert.equal((await send('4', 4, 7)).code, 'BLOB_UPLOAD_INVALID');
    assert.equal(await status(), '0-3');
    assert.equal((await send('4567', 4, 7)).status, 202);
    const digest = digestOf('0123456789');
    const put = await registry('PUT', `${url}?digest=${digest}`, {
      body: '89',
      headers: chunk(8, 9),
    });

    assert.equal(put.status, 201);
    assert.equal((await registry('GET', `${name}/blobs/${digest}`)).text, '0123456789');
    assert.equal((await registry('GET', url)).code, 'BLOB_UPLOAD_UNKNOWN');
    const { live, pending } = await objects();
    assert.deepEqual([live, pending], [1, undefined]);
  });

  it('puts pieces together once, also if it is asked for that again meanwhile', async () => {
    const { server, registry, name } = await stage();
    const { db } = server.services;
    const url = await begin(registry, name);
    for (const body of ['one ', 'two ']) await registry('PATCH', url, { body });
    const stored = async () => (await db`select from objects`).count;
    const before = await stored();
    const finish = () => registry('PUT', `${url}?digest=${digestOf('one two ')}`);
    const answers = await Promise.all(Array.from({ length: 5 }, finish));
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [201, 404, 404, 404, 404]);
    assert.equal(await stored(), before + 1);
  });

  it('takes the empty blob', async () => {
    const { registry, name } = await stage();
    const { status, digest } = await pushBlob(registry, name, '');

    assert.equal(status, 201);
    const got = await registry('GET', `${name}/blobs/${digest}`);
    assert.deepEqual([got.status, got.text], [200, '']);
  });

  it('keeps nothing of bytes with another digest', async () => {
    const { registry, name, objects } = await stage();
    const url = await begin(registry, name);
    const wrong = digestOf('expected');

    const put = await registry('PUT', `${url}?digest=${wrong}`, { body: 'others' });
    assert.deepEqual([put.status, put.code], [400, 'DIGEST_INVALID']);
    const post = await registry('POST', `${name}/blobs/uploads/?digest=${wrong}`, { body: 'x' });
    assert.deepEqual([post.status, post.code], [400, 'DIGEST_INVALID']);
    assert.equal((await registry('HEAD', `${name}/blobs/${wrong}`)).status, 404);
    assert.deepEqual(await objects(), { dead: 2 });
    const without = await registry('PUT', await begin(registry, name), { body: 'x' });
    assert.equal(without.code, 'DIGEST_INVALID');
  });

  it('lets one of two concurrent pieces win', async () => {
    const { registry, name, objects } = await stage();
    const url = await begin(registry, name);
    const sent = await Promise.all(
      ['aaaa', 'bbbb'].map((body) => registry('PATCH', url, { body, headers: chunk(0, 3) })),
    );

    assert.deepEqual(sent.map(({ status }) => status).sort(), [202, 416]);
    const won = sent[0]?.status === 202 ? 'aaaa' : 'bbbb';
    const put = await registry('PUT', `${url}?digest=${digestOf(won)}`);
    assert.equal(put.status, 201);
    assert.equal((await objects()).pending, undefined);
  });

  it('stores a blob once that many push at the same time', async () => {
    const { registry, theirs, name, objects } = await stage();
    const pushes = await Promise.all(
      [registry, theirs, registry, theirs].map((one, at) =>
        pushBlob(one, `${name}/${at}`, 'the same bytes'),
      ),
    );

    assert.deepEqual(
      pushes.map(({ status }) => status),
      [201, 201, 201, 201],
    );
    const { live, pending } = await objects();
    assert.deepEqual([live, pending], [1, undefined]);
  });

  it('replaces bytes that the storage has lost, after it was told that they are not here', async () => {
    const { server, registry, name, objects } = await stage();
    const { db, storage } = server.services;
    const { digest, text, layer } = await pushImage(registry, name, 'v1', `lost ${name}`);
    const blob = `${name}/blobs/${digestOf(layer)}`;
    for (const lost of [digestOf(layer), digest]) {
      const [row] = await db<{ key: string }[]>`
        select key from objects where 'sha256:' || checksum_sha256 = ${lost}
      `;
      await storage.remove(row?.key ?? '');
    }

    assert.equal((await registry('GET', blob)).status, 500);
    assert.equal((await registry('HEAD', blob)).status, 404);
    const mount = `${name}/blobs/uploads/?mount=${digestOf(layer)}&from=${name}`;
    assert.equal((await registry('POST', mount)).status, 202);
    await pushBlob(registry, name, layer);
    await putManifest(registry, name, 'v1', text);

    assert.equal((await registry('HEAD', blob)).status, 200);
    assert.equal((await registry('GET', blob)).text, layer);
    assert.equal((await registry('GET', `${name}/manifests/v1`)).text, text);
    await collectReleased(db, new Date(), 100);
    await collectDeadObjects({ db, storage }, new Date(), 1000);
    assert.deepEqual(await objects(), { live: 3 });
  });

  it('is skipped for a blob that another repository of the tenant has', async () => {
    const { registry, theirs, name, objects } = await stage();
    const { digest } = await pushBlob(registry, name, 'shared');
    const mount = `${name}/other/blobs/uploads/?mount=${digest}&from=${name}`;

    const mounted = await theirs('POST', mount);
    assert.deepEqual(
      [mounted.status, mounted.headers.get('location')],
      [201, `/v2/${name}/other/blobs/${digest}`],
    );
    const absent = `${name}/other/blobs/uploads/?mount=${digestOf('absent')}&from=${name}`;
    assert.equal((await theirs('POST', absent)).status, 202);
    assert.deepEqual(await objects(), { live: 1 });
  });

  it('belongs to who began it, and can be cancelled', async () => {
    const { registry, theirs, name, objects } = await stage();
    const url = await begin(registry, name);
    await registry('PATCH', url, { body: 'some' });

    assert.equal((await theirs('GET', url)).code, 'BLOB_UPLOAD_UNKNOWN');
    assert.equal((await theirs('DELETE', url)).code, 'BLOB_UPLOAD_UNKNOWN');
    assert.equal((await registry('DELETE', url)).status, 204);
    assert.equal((await registry('PATCH', url, { body: 'more' })).code, 'BLOB_UPLOAD_UNKNOWN');
    assert.deepEqual(await objects(), { dead: 1 });
  });

  it('ends a day after its last piece, and what was sent is collected', async () => {
    const { server, registry, name, objects } = await stage();
    const { db, storage } = server.services;
    const url = await begin(registry, name);
    await registry('PATCH', url, { body: 'some' });

    const hours = (count: number) => new Date(Date.now() + count * 3600 * 1000);
    await endExpiredImageUploads(db, hours(23), 100);
    await collectDeadObjects({ db, storage }, hours(23), 100);
    assert.equal((await registry('GET', url)).headers.get('range'), '0-3');
    await endExpiredImageUploads(db, hours(25), 100);
    assert.equal((await registry('GET', url)).status, 404);
    await collectDeadObjects({ db, storage }, hours(25), 1000);
    assert.deepEqual(await objects(), {});
  });

  it('that is cut off keeps what came before, and nothing of the rest', async () => {
    const { registry, name, objects } = await stage();
    const url = await begin(registry, name);
    await registry('PATCH', url, { body: 'before' });
    const broken = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('and'));
        setImmediate(() => controller.error(new Error('the line is cut')));
      },
    });
    await assert.rejects(registry('PATCH', url, { body: broken }));

    assert.equal((await registry('GET', url)).headers.get('range'), '0-5');
    const put = await registry('PUT', `${url}?digest=${digestOf('before after')}`, {
      body: ' after',
    });
    assert.equal(put.status, 201);
    assert.equal((await objects()).live, 1);
  });

  it('has bounds: of a blob, of pieces, of uploads at once, and of manifests', async () => {
    const one = { slots: 1, per_tenant: 1, per_user: 1, waiting_per_user: 1, wait_ms: 60_000 };
    const registryLimits = {
      ...{ most_blob_bytes: 10, most_uploads: 2, most_pieces: 2, calls: 0 },
      manifests: one,
    };
    const server = await startServer({}, undefined, {
      limits: { registry: { ...usualLimits.registry, ...registryLimits } },
    });
    const { registry, name, objects } = await stage(server);
    const url = await begin(registry, name);
    const announced = await registry('PATCH', url, { body: 'x'.repeat(11) });
    assert.deepEqual([announced.status, announced.code], [413, 'SIZE_INVALID']);
    const stream = new Blob(['x'.repeat(11)]).stream();
    assert.equal((await registry('PATCH', url, { body: stream })).status, 413);
    await registry('PATCH', url, { body: '012345' });
    assert.equal((await registry('PATCH', url, { body: '6789a' })).status, 413);
    await registry('PATCH', url, { body: '6789' });
    assert.equal((await registry('PATCH', url, { body: '' })).status, 400);
    assert.equal(await begin(registry, name).then(() => 'begun'), 'begun');
    const third = await registry('POST', `${name}/blobs/uploads/`);
    assert.deepEqual([third.status, third.code], [429, 'TOOMANYREQUESTS']);
    assert.equal((await objects()).pending, 2);

    const arriving = Promise.withResolvers<void>();
    async function* slowly() {
      yield Buffer.from('{');
      await arriving.promise;
      yield Buffer.from('}');
    }
    const slow = registry('PUT', `${name}/manifests/1`, { body: ReadableStream.from(slowly()) });
    // By the time this is answered, it has come.
    await registry('GET', '');
    const others = [1, 2].map(() => putManifest(registry, name, '2', '{}'));
    assert.equal((await Promise.race(others)).code, 'TOOMANYREQUESTS');
    arriving.resolve();
    assert.deepEqual((await Promise.all(others)).map(({ code }) => code).toSorted(), [
      'MANIFEST_INVALID',
      'TOOMANYREQUESTS',
    ]);
    assert.equal((await slow).code, 'MANIFEST_INVALID');
  });
});

describe('what a tenant may store', () => {
  it('counts images, each blob once, and refuses what does not fit', async () => {
    const { server, owner, held } = await limitedPeople(await testServer(), 2000);
    const registry = await registryClient(server, owner);
    const name = `t${owner.user.tenant_id}/tool`;
    const { text, layer, config } = await pushImage(registry, name, '1', 'x'.repeat(500));
    await pushImage(registry, `${name}/2`, '1', 'x'.repeat(500));
    const used = text.length + layer.length + config.length;
    assert.deepEqual(await held(), { used_bytes: used, reserved_bytes: 0 });

    const url = await begin(registry, name);
    const refused = await registry('PATCH', url, { body: 'y'.repeat(2000 - used + 1) });
    assert.deepEqual([refused.status, refused.code], [403, 'DENIED']);
    assert.match(refused.text, /There is no room/);
    const fits = await registry('PATCH', url, { body: 'y'.repeat(2000 - used) });
    assert.equal(fits.status, 202);
    const manifest = await putManifest(registry, name, '2', text.replace('{', '{ '));
    assert.equal(manifest.status, 403);
    assert.equal((await registry('DELETE', url)).status, 204);
    assert.deepEqual(await held(), { used_bytes: used, reserved_bytes: 0 });
    await collectReleased(server.services.db, new Date(), 10);
  });
});
