import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { type Client, cast } from '../../test/cast.ts';
import { davClient } from '../../test/dav.ts';
import { collectAll } from '../../test/duties.ts';
import { leaseStage } from '../../test/leases.ts';
import { limitedPeople } from '../../test/quota.ts';
import { startServer } from '../../test/server.ts';
import { statementsOf } from '../../test/statements.ts';
import { bytesFor, chunk, confirm, initiated, sent, uploaded } from '../../test/uploads.ts';
import { changeTenantSettings } from '../resources/users/users.ts';
import { findMiscounted, foldStorageChanges, readUsage } from './quota.ts';

const { server } = await cast();
const { db } = server.services;

const people = (limit: number | null) => limitedPeople(server, limit);
const used = async (by: Client) => (await by.get('/subscriptions')).body.storage_used_bytes;
const codes = (answers: { status: number; body: { code?: string } }[]) =>
  Object.entries(Object.groupBy(answers, ({ status, body }) => `${status} ${body.code ?? ''}`))
    .map(([code, those]) => `${those?.length} × ${code.trim()}`)
    .sort();

const collect = (days?: number) => collectAll(server.services, days);

describe('the storage limit of a tenant', () => {
  it('lets exactly as many of 50 concurrent uploads in as fit', async () => {
    const { owner, editor, held } = await people(10 * 1000);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        (at % 2 === 0 ? owner : editor).upload(`file ${at}`, 'x'.repeat(1000)),
      ),
    );
    assert.deepEqual(codes(answers), ['10 × 201', '40 × 403 quota_exceeded']);
    assert.deepEqual(await held(), { used_bytes: 10_000, reserved_bytes: 0 });
    const { storage_used_bytes, storage_limit_bytes } = (await owner.get('/subscriptions')).body;
    assert.deepEqual([storage_used_bytes, storage_limit_bytes], [10_000, 10_000]);
    const { body: refused } = await owner.upload('one more', 'x');
    assert.match(
      refused.detail,
      /these 1 bytes: of the 10000 .* 10000 are used and 0 are reserved/,
    );
    const { detail: _, ...told } = refused;
    assert.deepEqual(told, {
      ...{ code: 'quota_exceeded', quota: 'storage' },
      ...{ limit: 10_000, used: 10_000, reserved: 0, requested: 1 },
    });
    assert.equal((await owner.upload('empty', '')).status, 201);
  });

  it('holds for uploads to several processes', async () => {
    const { owner, held } = await people(10 * 1000);
    const beside = await startServer({}, undefined, { beside: server });
    const form = (at: number) => {
      const body = new FormData();
      body.set('file', new File(['x'.repeat(1000)], `file ${at}`));
      return body;
    };
    const headers = { authorization: `Bearer ${owner.token}` };
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const { url } = at % 2 === 0 ? server : beside;
        const init = { method: 'POST', headers, body: form(at) };
        const answer = await fetch(`${url}/cogs/upload-file`, init);
        return { status: answer.status, body: (await answer.json()) as { code?: string } };
      }),
    );
    assert.deepEqual(codes(answers), ['10 × 201', '30 × 403 quota_exceeded']);
    assert.deepEqual(await held(), { used_bytes: 10_000, reserved_bytes: 0 });
  });

  it('counts versions, and copies not again, until they are purged', async () => {
    const { owner, admin, held } = await people(3000);
    const { body: cog } = await owner.upload('file', 'a'.repeat(1000));
    const version = new FormData();
    version.set('file', new File(['b'.repeat(1500)], 'file'));
    const post = () => owner.fetch(`/cogs/${cog.id}/content`, { method: 'POST', body: version });
    assert.equal((await post()).status, 201);
    const refused = await post();
    assert.deepEqual(
      [refused.status, ((await refused.json()) as { code: string }).code],
      [403, 'quota_exceeded'],
    );
    const { body: root } = await owner.get(`/cogs/${cog.id}/path`);
    const parent_id = root[0].id;
    const copy = await owner.post(`/cogs/${cog.id}/copy`, { parent_id, name: 'copy' });
    assert.equal(copy.status, 201);
    assert.equal(await used(owner), 2500);

    await owner.delete(`/cogs/${cog.id}`);
    await collect();
    assert.equal(await used(owner), 2500);
    await admin.delete(`/cogs/${cog.id}?permanent=true`);
    await collect();
    assert.equal(await used(owner), 1500);
    await owner.delete(`/cogs/${copy.body.id}`);
    await admin.delete(`/cogs/${copy.body.id}?permanent=true`);
    await collect();
    assert.deepEqual(await held(), { used_bytes: 0, reserved_bytes: 0 });
  });

  it('does not count previews, which are made although nothing more fits', async () => {
    const photo = await sharp({
      create: { width: 600, height: 300, channels: 3, background: '#f00' },
    })
      .png()
      .toBuffer();
    const { owner, admin, held } = await people(photo.length);
    const { body: cog } = await owner.upload('photo.png', new Uint8Array(photo));
    const full = { used_bytes: photo.length, reserved_bytes: 0 };

    for (const size of [256, 1024]) {
      const path = `/cogs/${cog.id}/preview?size=${size}`;
      let answer = await owner.fetch(path);
      while (answer.status === 202) answer = await owner.fetch(path);
      assert.equal(answer.status, 200);
    }

    assert.deepEqual(await held(), full);
    await owner.delete(`/cogs/${cog.id}`);
    await admin.delete(`/cogs/${cog.id}?permanent=true`);
    await collect();
    assert.deepEqual(await held(), { used_bytes: 0, reserved_bytes: 0 });
    assert.equal((await findMiscounted(db)).length, 0);
  });

  it('counts announced bytes from the announcement on, and gives them back once', async () => {
    const { owner, held } = await people(2 * chunk);
    const bytes = bytesFor(1, 10);
    const upload = await initiated(owner, bytes);
    assert.deepEqual(await held(), { used_bytes: 0, reserved_bytes: bytes.length });
    assert.equal(await used(owner), 0);
    const second = await owner.post('/cogs/uploads/initiate', {
      ...{ name: 'second', file_size: bytes.length },
    });
    assert.deepEqual([second.status, second.body.code], [403, 'quota_exceeded']);
    assert.match(second.body.detail, new RegExp(`${bytes.length} are reserved`));

    const aborts = [1, 2, 3].map(() => owner.delete(`/cogs/uploads/${upload.upload_id}`));
    await Promise.all([...aborts, collect(), collect()]);
    assert.deepEqual(await held(), { used_bytes: 0, reserved_bytes: 0 });

    await initiated(owner, bytes);
    await Promise.all([collect(20), collect(20)]);
    assert.deepEqual(await held(), { used_bytes: 0, reserved_bytes: 0 });

    const kept = await initiated(owner, bytes);
    const parts = await sent(kept, bytes);
    const confirmed = await Promise.all(
      [1, 2, 3].map(() => confirm(owner, kept, bytes.length, parts)),
    );
    assert.ok(confirmed.every(({ status }) => status === 201));
    await collect(20);
    assert.deepEqual(await held(), { used_bytes: bytes.length, reserved_bytes: 0 });
  });

  it('does not grow by sending more than was announced', async () => {
    const { owner, held } = await people(1000);
    const wanted = { name: 'file', file_size: 900 };
    const { body: upload } = await owner.post('/cogs/uploads/initiate', wanted);
    const [{ url }] = upload.parts;
    const larger = new Uint8Array(1100).fill(1);
    const streamed = new ReadableStream({
      start: (stream) => {
        stream.enqueue(larger);
        stream.close();
      },
    });
    const put = (body: RequestInit['body']) =>
      fetch(url, { method: 'PUT', body, duplex: 'half' } as RequestInit).then(
        ({ status }) => status,
        () => 'refused',
      );

    for (const body of [larger, streamed]) assert.notEqual(await put(body), 200);
    for (const size of [900, 1100]) {
      const { status } = await confirm(owner, upload, size, [{ part_number: 1, etag: 'x' }]);
      assert.equal(status, 409);
    }
    assert.deepEqual(await held(), { used_bytes: 0, reserved_bytes: 900 });

    const parts = await sent(upload, larger.slice(0, 900));
    assert.equal((await confirm(owner, upload, 900, parts)).status, 201);
    assert.notEqual(await put(larger), 200);
    assert.deepEqual(await held(), { used_bytes: 900, reserved_bytes: 0 });
  });

  it('has the room again that a disabled user had reserved', async () => {
    const { admin, owner, editor, held } = await people(1000);
    const wanted = { name: 'large', file_size: 900 };
    const { body: upload } = await owner.post('/cogs/uploads/initiate', wanted);
    await editor.post('/cogs/uploads/initiate', { name: 'small', file_size: 50 });

    await admin.patch(`/users/${owner.user.id}`, { status: 'disabled' });
    await collect();

    assert.deepEqual(await held(), { used_bytes: 0, reserved_bytes: 50 });
    await admin.patch(`/users/${owner.user.id}`, { status: 'active' });
    const { body } = await owner.get(`/cogs/uploads/${upload.upload_id}`);
    assert.equal(body.state, 'aborted');
  });

  it('refuses those of a batch that do not fit, each by itself', async () => {
    const { owner, held } = await people(100);
    const files = [60, 60, 40, 1, 0].map((file_size, at) => ({ path: `d/${at}`, file_size }));
    const { body } = await owner.post('/cogs/uploads/batch', { files });
    const told = body.uploads.map(({ error }: { error?: { code: string } }) => error?.code);
    const code = 'quota_exceeded';
    assert.deepEqual(told, [undefined, code, undefined, code, undefined]);
    assert.deepEqual(await held(), { used_bytes: 0, reserved_bytes: 100 });
  });

  it('is not used by uploads that fail or are refused otherwise', async () => {
    const { owner, viewer, held } = await people(1000);
    const { body: folder } = await owner.post('/cogs/', {
      name: 'Closed',
      cog_type: 'asset_folder',
    });
    const tries = [viewer.upload('x', 'x'.repeat(900), folder.id), owner.upload('a/b', 'x')];
    assert.deepEqual(codes(await Promise.all(tries)).length, 2);
    const cut = new AbortController();
    const begun = owner.fetch('/cogs/upload-file', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: new ReadableStream({
        start: (stream) =>
          stream.enqueue(
            Buffer.from(
              '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nx',
            ),
          ),
      }),
      duplex: 'half',
      signal: cut.signal,
    } as RequestInit);
    cut.abort();
    await assert.rejects(begun);
    assert.equal((await owner.upload('whole', 'x'.repeat(1000))).status, 201);
    await collect(1);
    assert.deepEqual(await held(), { used_bytes: 1000, reserved_bytes: 0 });
  });

  it('ends bodies of unknown size that exceed it, and keeps nothing of them', async () => {
    const { owner, held } = await people(3_000_000);
    const dav = await davClient(server, owner);
    const put = (path: string, size: number) =>
      dav('PUT', path, {
        headers: { 'transfer-encoding': 'chunked' },
        body: Buffer.alloc(size),
      });
    assert.equal((await put('/small', 1_000_000)).status, 201);
    assert.deepEqual(await held(), { used_bytes: 1_000_000, reserved_bytes: 0 });
    const large = await put('/large', 2_000_001);
    assert.equal(large.status, 507);
    assert.match(large.text, /<D:quota-not-exceeded>/);
    await collect();
    assert.deepEqual(await held(), { used_bytes: 1_000_000, reserved_bytes: 0 });
    assert.equal((await put('/fits', 2_000_000)).status, 201);
    assert.deepEqual(await held(), { used_bytes: 3_000_000, reserved_bytes: 0 });
  });

  it('may be lowered below what is stored: then nothing more comes in until there is room', async () => {
    const { owner, setLimit } = await people(null);
    await owner.upload('file', 'x'.repeat(1000));
    assert.equal((await owner.get('/subscriptions')).body.storage_limit_bytes, undefined);
    await setLimit(500);
    assert.equal((await owner.upload('more', 'x')).status, 403);
    assert.equal((await owner.get('/subscriptions')).body.storage_used_bytes, 1000);
    await setLimit(1001);
    assert.equal((await owner.upload('more', 'x')).status, 201);
  });

  it('does not keep an answered upload from being answered alike when it is repeated', async () => {
    const { owner, held } = await people(1500);
    const post = async (path: string, bytes: string, headers: Record<string, string>) => {
      const body = new FormData();
      body.set('file', new File([bytes], 'once'));
      const answer = await owner.fetch(path, { method: 'POST', body, headers });
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    };
    const key = { 'idempotency-key': 'upload' };
    const first = await post('/cogs/upload-file', 'x'.repeat(1000), key);
    assert.equal(first.status, 201);
    const { id, checksum_sha256 } = first.body;
    const change = { 'idempotency-key': 'content', 'if-match': `"${checksum_sha256}"` };
    const changed = await post(`/cogs/${id}/content`, 'y'.repeat(500), change);
    assert.equal(changed.status, 201);
    assert.equal((await owner.patch(`/cogs/${id}`, { name: 'renamed.csv' })).status, 200);

    assert.deepEqual(await post('/cogs/upload-file', 'x'.repeat(1000), key), first);
    assert.deepEqual(await post(`/cogs/${id}/content`, 'y'.repeat(500), change), changed);
    const other = await post('/cogs/upload-file', 'z'.repeat(1000), key);
    assert.equal(other.body.code, 'idempotency_mismatch');
    const fresh = await post('/cogs/upload-file', 'x', { 'idempotency-key': 'another' });
    assert.deepEqual([fresh.status, fresh.body.code], [403, 'quota_exceeded']);
    assert.deepEqual(await held(), { used_bytes: 1500, reserved_bytes: 0 });
  });

  it('answers uploads with one key at once alike, though there is room for one only', async () => {
    const { owner, held } = await people(2000);
    const post = async (path: string, headers: Record<string, string>) => {
      const body = new FormData();
      body.set('file', new File(['x'.repeat(900)], 'once'));
      const answer = await owner.fetch(path, { method: 'POST', body, headers });
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    };
    const twice = (path: string, headers: Record<string, string>) =>
      Promise.all([post(path, headers), post(path, headers), post(path, headers)]);

    const [first, ...repeated] = await twice('/cogs/upload-file', { 'idempotency-key': 'upload' });
    assert.equal(first?.status, 201);
    assert.deepEqual(repeated, [first, first]);
    const { id, checksum_sha256 } = first.body;
    const change = { 'idempotency-key': 'content', 'if-match': `"${checksum_sha256}"` };
    const [changed, ...again] = await twice(`/cogs/${id}/content`, change);
    assert.equal(changed?.status, 201);
    assert.deepEqual(again, [changed, changed]);
    assert.deepEqual(await held(), { used_bytes: 1800, reserved_bytes: 0 });
  });

  it('costs uploads no further statement', async () => {
    const count = async (limit: number | null) => {
      const { owner } = await people(limit);
      await owner.upload('first', 'x');
      const costs: number[] = [];
      // The change of the limit may be announced during one: then its caller is looked up again.
      for (const name of ['second', 'third', 'fourth']) {
        const work = () => owner.upload(name, 'x'.repeat(1000));
        costs.push((await statementsOf(server, work)).statements);
      }
      return Math.min(...costs);
    };
    assert.equal(await count(100_000), await count(null));
  });

  it('counts what containers upload, and fails the step that exceeds it', async () => {
    const { worker, start, look, server: own, owner } = await leaseStage();
    const { tenant_id } = owner.user;
    const stage = own.services.db;
    const first = await start();
    const second = await start();
    const { used_bytes } = await readUsage(stage, tenant_id);
    await changeTenantSettings(stage, tenant_id, { storage_limit_bytes: used_bytes + 5 });
    const [order] = await worker.acquire(1);
    const files = [
      { port: 'out', name: 'a', text: 'abc' },
      { port: 'out', name: 'b', text: 'def' },
    ];
    await assert.rejects(worker.upload(order, files));
    assert.equal((await readUsage(stage, tenant_id)).reserved_bytes, 0);
    await worker.complete(order, { status: 'failure', error_class: 'quota_exceeded' });
    const [failed] = (await look(first)).node_runs;
    assert.deepEqual([failed.status, failed.error_class], ['failure', 'quota_exceeded']);

    const [next] = await worker.acquire(1);
    assert.equal(next.run_id ?? second, second);
    await worker.succeed(next, files.slice(0, 1));
    const after = await readUsage(stage, tenant_id);
    assert.deepEqual([after.used_bytes, after.reserved_bytes], [used_bytes + 3, 0]);
  });
});

describe('what tenants store', () => {
  it('is counted as it is, whatever the tests before did to it', async () => {
    await uploaded((await cast(server)).owner, bytesFor(0, 10));
    assert.equal((await findMiscounted(db)).length, 0);
    while ((await foldStorageChanges(db, 100)) > 0);
    assert.equal((await findMiscounted(db)).length, 0);
    await db`update storage_usage set used_bytes = used_bytes + 1 where tenant_id = (select max(tenant_id) from storage_usage)`;
    assert.equal((await findMiscounted(db)).length, 1);
  });
});
