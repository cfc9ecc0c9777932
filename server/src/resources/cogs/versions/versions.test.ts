import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Answer, type Client, cast } from '../../../../test/cast.ts';
import { folder, share } from '../../../../test/sharing.ts';
import { collectDeadObjects, collectReleased } from '../../../objects/objects.ts';
import { emptyTrash, removePurged } from '../trash/trash.ts';

const { server, owner, editor, viewer, stranger } = await cast();
const { db, storage } = server.services;

const file = async (who: Client, name: string, bytes: string, parent?: number) =>
  (await who.upload(name, bytes, parent)).body;
const etagOf = (bytes: string) => `"${createHash('sha256').update(bytes).digest('hex')}"`;

async function store(
  who: Client,
  id: number,
  bytes: string,
  headers: Record<string, string> = {},
): Promise<Pick<Answer, 'status' | 'body'>> {
  const form = new FormData();
  form.append('file', new Blob([bytes], { type: 'text/csv' }), 'any name.csv');
  const answer = await who.fetch(`/cogs/${id}/content`, { method: 'POST', body: form, headers });
  return { status: answer.status, body: await answer.json() };
}

const textOf = async (who: Client, id: number, version?: number) =>
  (await who.fetch(`/cogs/${id}/download${version ? `?version=${version}` : ''}`)).text();
const versionsOf = async (who: Client, id: number) =>
  (await who.get(`/cogs/${id}/versions`)).body as { version: number; is_current: boolean }[];

describe('a new content', () => {
  it('is the next version; the one before can still be read', async () => {
    const { id } = await file(owner, 'notes.txt', 'one');

    const { status, body } = await store(owner, id, 'two');

    assert.equal(status, 201);
    assert.equal(body.version, 2);
    assert.equal(body.name, 'notes.txt');
    assert.equal(body.size_bytes, 3);
    assert.equal(body.mime_type, 'text/csv');
    assert.equal(await textOf(owner, id), 'two');
    assert.equal(await textOf(owner, id, 1), 'one');
    assert.equal(await textOf(owner, id, 2), 'two');
    assert.equal((await owner.get(`/cogs/${id}/download?version=3`)).status, 404);
  });

  it('is stored over the content that was seen, or not at all', async () => {
    const { id } = await file(owner, 'guarded.txt', 'seen');

    const stale = await store(owner, id, 'stale', { 'if-match': etagOf('other') });
    assert.equal(stale.status, 412);
    const weak = await store(owner, id, 'weak', { 'if-match': `W/${etagOf('seen')}` });
    assert.equal(weak.status, 412);
    const list = `${etagOf('other')}, ${etagOf('seen')}`;
    assert.equal((await store(owner, id, 'next', { 'if-match': list })).status, 201);
    assert.equal((await store(owner, id, 'last', { 'if-match': '*' })).status, 201);
    assert.equal(await textOf(owner, id), 'last');
  });

  it('of two that saw the same content is that of one', async () => {
    const { id } = await file(owner, 'raced.txt', 'start');
    const headers = { 'if-match': etagOf('start') };

    const answers = await Promise.all([
      store(owner, id, 'left', headers),
      store(owner, id, 'right', headers),
    ]);

    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 412]);
    assert.equal((await versionsOf(owner, id)).length, 2);
  });

  it('may be stored many times at once, and each is kept', async () => {
    const { id } = await file(owner, 'busy.txt', '0');

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, number) => store(owner, id, `content ${number}`)),
    );

    assert.deepEqual(
      answers.map(({ body }) => body.version).sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, number) => number + 2),
    );
    const texts = await Promise.all(
      Array.from({ length: 21 }, (_, number) => textOf(owner, id, number + 1)),
    );
    assert.equal(new Set(texts).size, 21);
  });

  it('needs the right to edit, and a file', async () => {
    const place = await folder(owner, 'place');
    await share(owner, place.id, viewer, 'viewer', { can_upload: true });
    const { id } = await file(owner, 'not yours', 'safe', place.id);

    assert.equal((await store(viewer, id, 'x')).status, 403);
    assert.equal((await store(editor, id, 'x')).status, 403);
    assert.equal((await store(stranger, id, 'x')).status, 404);
    assert.equal((await store(owner, place.id, 'x')).status, 400);
    assert.equal((await versionsOf(owner, id)).length, 1);
    await share(owner, id, editor, 'editor');
    assert.equal((await store(editor, id, 'edited')).status, 201);
  });

  it('is stored once for requests with one idempotency key', async () => {
    const { id } = await file(owner, 'once.txt', 'one');
    const headers = { 'idempotency-key': 'store-once' };

    const first = await store(owner, id, 'two', headers);
    const again = await store(owner, id, 'two', headers);

    assert.equal(again.status, 201);
    assert.deepEqual(again.body, first.body);
    assert.equal((await store(owner, id, 'three', headers)).body.code, 'idempotency_mismatch');
    assert.equal((await versionsOf(owner, id)).length, 2);
  });
});

describe('the versions of a file', () => {
  it('are listed newest first, with who stored each, in pages', async () => {
    const { id } = await file(owner, 'listed.txt', 'one');
    await share(owner, id, editor, 'editor');
    await store(editor, id, 'twotwo');
    await store(owner, id, 'three');

    const { body, headers } = await owner.get(`/cogs/${id}/versions?limit=2&with_total=true`);

    assert.equal(headers.get('x-total-count'), '3');
    assert.match(headers.get('link') ?? '', /cursor=/);
    assert.deepEqual(
      body.map(({ version, size_bytes, created_by, is_current }: never) => ({
        ...{ version, size_bytes, created_by, is_current },
      })),
      [
        { version: 3, size_bytes: 5, created_by: owner.user.id, is_current: true },
        { version: 2, size_bytes: 6, created_by: editor.user.id, is_current: false },
      ],
    );
    assert.equal(body[0].key, undefined);
    const next = /<[^>]*?(\/cogs[^>]*)>/.exec(headers.get('link') ?? '')?.[1] ?? '';
    assert.deepEqual(
      (await owner.get(next)).body.map(({ version }: { version: number }) => version),
      [1],
    );
  });

  it('are seen by those who see the file', async () => {
    const { id } = await file(owner, 'seen.txt', 'one');
    await store(owner, id, 'two');

    assert.equal((await viewer.get(`/cogs/${id}/versions`)).status, 403);
    assert.equal((await viewer.get(`/cogs/${id}/download?version=1`)).status, 403);
    assert.equal((await stranger.get(`/cogs/${id}/versions`)).status, 404);
    await share(owner, id, viewer, 'viewer');
    assert.equal((await versionsOf(viewer, id)).length, 2);
    assert.equal(await textOf(viewer, id, 1), 'one');
  });

  it('can be restored, as a new version without new bytes', async () => {
    const { id } = await file(owner, 'restored.txt', 'good');
    await store(owner, id, 'bad');

    const { status, body } = await owner.post(`/cogs/${id}/versions/1/restore`);

    assert.equal(status, 200);
    assert.equal(body.version, 3);
    assert.equal(body.mime_type, 'text/plain');
    assert.equal(await textOf(owner, id), 'good');
    const [newest] = (await owner.get(`/cogs/${id}/versions`)).body;
    assert.equal(newest.restored_from, 1);
    const rows = await db`
      select object_id from file_versions where cog_id = ${id} and version = 1
      union
      select object_id from cogs where id = ${id}
    `;
    assert.equal(rows.length, 1);
    assert.equal((await owner.post(`/cogs/${id}/versions/9/restore`)).status, 404);
    assert.equal((await owner.post(`/cogs/${id}/versions/3/restore`)).body.version, 3);
    const stale = { headers: { 'if-match': etagOf('bad') } };
    assert.equal(
      (await owner.post(`/cogs/${id}/versions/2/restore`, undefined, stale)).status,
      412,
    );
  });

  it('can be removed one by one, but not the current one, and not without the right to delete', async () => {
    const { id } = await file(owner, 'removed.txt', 'first');
    await store(owner, id, 'second');
    await share(owner, id, editor, 'editor');

    assert.equal((await editor.delete(`/cogs/${id}/versions/1`)).status, 403);
    assert.equal((await owner.delete(`/cogs/${id}/versions/2`)).body.code, 'current_version');
    assert.equal((await owner.delete(`/cogs/${id}/versions/1`)).status, 204);
    assert.equal((await owner.delete(`/cogs/${id}/versions/1`)).status, 404);
    assert.equal((await owner.get(`/cogs/${id}/download?version=1`)).status, 404);
    assert.equal((await versionsOf(owner, id)).length, 1);
  });

  it('share bytes that stay as long as one of them needs them', async () => {
    const { id } = await file(owner, 'shared.txt', 'kept');
    await store(owner, id, 'between');
    await owner.post(`/cogs/${id}/versions/1/restore`);
    const keys = (
      await db`
        select key from objects
        where id in (select object_id from file_versions where cog_id = ${id})
        order by id
      `
    ).map(({ key }) => key);
    const collect = async () => {
      while ((await removePurged(db, 100)) > 0);
      while ((await collectReleased(db, new Date(), 100)) > 0);
      await collectDeadObjects({ db, storage }, new Date(), 1000);
      return Promise.all(keys.map(async (key) => (await storage.stat(key)) !== undefined));
    };

    await owner.delete(`/cogs/${id}/versions/1`);
    assert.deepEqual(await collect(), [true, true]);
    await owner.delete(`/cogs/${id}/versions/2`);
    assert.deepEqual(await collect(), [true, false]);
    await owner.delete(`/cogs/${id}`);
    await owner.delete(`/cogs/${id}?permanent=true`);
    assert.deepEqual(await collect(), [false, false]);
    assert.equal((await emptyTrash(db, new Date(), 10)) >= 0, true);
  });
});
