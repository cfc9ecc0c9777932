import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast, client } from '../../../../test/cast.ts';
import { startServer } from '../../../../test/server.ts';
import { folder, ownGrant, share } from '../../../../test/sharing.ts';
import { costOf } from '../../../../test/statements.ts';
import { namesOf, readZip } from '../../../../test/zip-reader.ts';
import { makeLog } from '../../../log.ts';
import { forgetExpiredUrls } from './download-urls.ts';

/** A file of the owner that the viewer may see, and ways to make and use URLs. */
async function shared() {
  const people = await cast();
  const { owner, viewer, server } = people;
  const file = (await owner.upload('ten.txt', '0123456789', undefined, 'text/plain')).body;
  await share(owner, file.id, viewer, 'viewer');
  const make = async (by: Client, body = {}, id = file.id) => {
    const made = await by.post(`/cogs/${id}/download-url`, body);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body;
  };
  const { db } = server.services;
  const expire = (id: number) =>
    db`update download_urls set expires_at = now() - interval '1 second' where id = ${id}`;
  return { ...people, db, file, make, expire };
}

const wrong = { detail: 'This link is wrong or has ended.' };
const isGone = async (url: string) => {
  const answer = await fetch(url);
  assert.deepEqual([answer.status, await answer.json()], [404, wrong]);
  assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
};

describe('a download URL of a file', () => {
  it('gives it without credentials, like a download, in ranges and by HEAD', async () => {
    const { owner, make, file } = await shared();
    const { id, url, ...shown } = await make(owner, { expires_in: 60 });
    assert.match(new URL(url).pathname, /^\/d\/[\w-]{43}$/);
    assert.deepEqual(shown.cog_ids, [file.id]);
    const left = Date.parse(shown.expires_at) - Date.now();
    assert.ok(left > 55_000 && left < 62_000);

    const [given, usual] = [await fetch(url), await owner.fetch(`/cogs/${file.id}/download`)];
    assert.equal(await given.text(), await usual.text());
    for (const name of ['etag', 'content-length', 'content-disposition', 'cache-control']) {
      assert.equal(given.headers.get(name), usual.headers.get(name), name);
    }
    assert.equal(given.headers.get('referrer-policy'), 'no-referrer');
    const part = await fetch(url, { headers: { range: 'bytes=2-4' } });
    assert.deepEqual([part.status, await part.text()], [206, '234']);
    const head = await fetch(url, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '10']);

    const inline = await make(owner, { inline: true });
    const displayed = (await fetch(inline.url)).headers.get('content-disposition') ?? '';
    assert.match(displayed, /^inline/);
    assert.notEqual(id, inline.id);
  });

  it('costs one statement to use', async () => {
    const { owner, viewer, make, server } = await shared();
    for (const by of [owner, viewer]) {
      const { url } = await make(by);
      const { texts } = await costOf(server, async () => void (await (await fetch(url)).text()));
      assert.equal(texts.length, 1, texts.join('\n'));
    }
  });

  it('gives the current content, or the version it was made for', async () => {
    const { owner, make, file } = await shared();
    const [current, first] = [await make(owner), await make(owner, { version: 1 })];
    const form = new FormData();
    form.set('file', new File(['new'], 'x'));
    await owner.fetch(`/cogs/${file.id}/content`, { method: 'POST', body: form });

    assert.equal(await (await fetch(current.url)).text(), 'new');
    assert.equal(await (await fetch(first.url)).text(), '0123456789');
    const path = `/cogs/${file.id}/download-url`;
    assert.equal((await owner.post(path, { version: 9 })).status, 404);
    const { id } = await folder(owner, 'F');
    assert.equal((await owner.post(`/cogs/${id}/download-url`, { version: 1 })).status, 400);
    for (const expires_in of [0, 86_401, 1.5, '60']) {
      assert.equal((await owner.post(path, { expires_in })).status, 422, String(expires_in));
    }
  });

  it('is gone with its time, its revocation, and the rights and the account of its maker', async () => {
    const { owner, viewer, admin, make, file, expire, server } = await shared();
    const urls = [await make(viewer), await make(owner), await make(owner), await make(owner)];
    for (const { url } of urls) assert.equal((await fetch(url)).status, 200);
    const [byViewer, late, revoked, deleted] = urls;

    await expire(late.id);
    await owner.delete(`/cogs/download-urls/${revoked.id}`);
    const grant = await ownGrant(owner, file.id, viewer);
    await owner.delete(`/permissions/${grant.permission_id}`);
    for (const { url } of [byViewer, late, revoked]) await isGone(url);
    await isGone(`${server.url}/d/${'x'.repeat(43)}`);
    await isGone(`${server.url}/d/x`);

    await share(owner, file.id, viewer, 'viewer');
    assert.equal((await fetch(byViewer.url)).status, 200);
    await admin.patch(`/users/${viewer.user.id}`, { status: 'disabled' });
    await isGone(byViewer.url);

    await owner.delete(`/cogs/${file.id}`);
    await isGone(deleted.url);
    await owner.post(`/cogs/${file.id}/restore`, {});
    assert.equal((await fetch(deleted.url)).status, 200);
  });

  it('ends with the API key that it was made with', async () => {
    const { owner, file, server } = await shared();
    const key = (await owner.post('/api-keys', { description: 'k' })).body;
    const headers = { 'x-api-key': key.access_key };
    const made = await client(server.url).post(`/cogs/${file.id}/download-url`, {}, { headers });
    assert.equal((await fetch(made.body.url)).status, 200);

    await owner.delete(`/api-keys/${key.id}`);

    await isGone(made.body.url);
  });
});

describe('the download URLs of a cog', () => {
  it('are listed for their maker, for owners and for admins, without the URL', async () => {
    const { owner, viewer, admin, stranger, make, file, expire } = await shared();
    const [mine, theirs] = [await make(owner), await make(viewer)];
    await expire((await make(owner)).id);
    const idsOf = async (by: Client, path = `/cogs/${file.id}/download-url`) =>
      (await by.get(path)).body.map(({ id }: { id: number }) => id);

    for (const by of [owner, admin]) assert.deepEqual(await idsOf(by), [theirs.id, mine.id]);
    assert.deepEqual(await idsOf(viewer), [theirs.id]);
    assert.deepEqual(await idsOf(owner, '/cogs/download-urls'), [mine.id]);
    assert.deepEqual(await idsOf(admin, '/cogs/download-urls'), [theirs.id, mine.id]);
    const { body } = await owner.get(`/cogs/${file.id}/download-url?with_total=true`);
    assert.ok(!JSON.stringify(body).includes('/d/'));
    assert.equal((await stranger.get(`/cogs/${file.id}/download-url`)).status, 404);
  });

  it('are revoked by their maker, by owners and by admins, and by nobody else', async () => {
    const { owner, viewer, editor, admin, stranger, make, file } = await shared();
    await share(owner, file.id, editor, 'editor');
    const path = (url: { id: number }) => `/cogs/download-urls/${url.id}`;
    const [one, two, three] = [await make(viewer), await make(viewer), await make(viewer)];
    const ofOwner = await make(owner);

    assert.equal((await editor.delete(path(one))).status, 403);
    assert.equal((await viewer.delete(path(ofOwner))).status, 403);
    assert.equal((await stranger.delete(path(one))).status, 404);
    for (const [by, url] of [
      [viewer, one],
      [owner, two],
      [admin, three],
    ] as const) {
      assert.equal((await by.delete(path(url))).status, 204);
      assert.equal((await by.delete(path(url))).status, 404);
      await isGone(url.url);
    }
    assert.equal((await fetch(ofOwner.url)).status, 200);
    const told = (await admin.get('/audit-events?target_type=download_url')).body;
    const actions = told.map(({ action }: { action: string }) => action).sort();
    assert.deepEqual(actions, [
      ...Array(4).fill('download_url.created'),
      ...Array(3).fill('download_url.revoked'),
    ]);
    const token = ofOwner.url.split('/').at(-1);
    assert.ok(!JSON.stringify(told).includes(token));
  });

  it('are forgotten when their time is over', async () => {
    const { owner, make, expire, db } = await shared();
    const [over, live] = [await make(owner), await make(owner)];
    await expire(over.id);

    assert.ok((await forgetExpiredUrls(db, 1000)) >= 1);

    const left = await db`select id from download_urls where id in (${over.id}, ${live.id})`;
    assert.deepEqual([...left], [{ id: live.id }]);
  });
});

describe('a download URL of folders', () => {
  it('gives a ZIP of one folder, which resumes', async () => {
    const { owner, make } = await shared();
    const top = await folder(owner, 'Top');
    await owner.upload('a', 'A', top.id);
    const { url } = await make(owner, {}, top.id);

    const answer = await fetch(url);
    const zip = Buffer.from(await answer.arrayBuffer());
    assert.deepEqual(namesOf(zip), ['Top/', 'Top/a']);
    assert.match(answer.headers.get('content-disposition') ?? '', /filename=Top\.zip/);
    const headers = { range: 'bytes=50-', 'if-range': answer.headers.get('etag') ?? '' };
    const rest = await fetch(url, { headers });
    assert.equal(rest.status, 206);
    assert.ok(Buffer.from(await rest.arrayBuffer()).equals(zip.subarray(50)));
  });

  it('gives a selection as one ZIP, with numbers for equal names', async () => {
    const { owner, viewer, file } = await shared();
    const [one, two] = [await folder(owner, 'one'), await folder(owner, 'two')];
    const [inOne, inTwo] = [
      (await owner.upload('ten.txt', 'in one', one.id)).body,
      (await owner.upload('ten.txt', 'in two', two.id)).body,
    ];
    const cog_ids = [file.id, inOne.id, two.id, inTwo.id, file.id];
    const make = (by: Client, ids = cog_ids) =>
      by.post('/cogs/download-url', { cog_ids: ids, expires_in: 60 });
    const { body, status } = await make(owner);
    assert.equal(status, 201);
    assert.deepEqual(body.cog_ids, cog_ids.slice(0, 4));

    const zipOf = async (url: string) =>
      readZip(Buffer.from(await (await fetch(url)).arrayBuffer())).map(
        ({ name, bytes }) => `${name}: ${bytes}`,
      );
    assert.deepEqual(await zipOf(body.url), [
      'ten.txt: 0123456789',
      'ten (2).txt: in one',
      'ten (3).txt: in two',
      'two/: ',
      'two/ten.txt: in two',
    ]);

    await owner.delete(`/cogs/${two.id}`);
    assert.deepEqual(await zipOf(body.url), [
      '_omitted.txt: 2 items were left out: there is no access to them.\n',
      'ten.txt: 0123456789',
      'ten (2).txt: in one',
    ]);
    for (const id of [file.id, inOne.id]) await owner.delete(`/cogs/${id}`);
    await isGone(body.url);

    assert.equal((await make(viewer, [one.id])).status, 403);
    assert.equal((await make(viewer, [999_999_999])).status, 404);
    assert.equal((await make(owner, [])).status, 422);
    assert.equal((await make(owner, Array(1001).fill(one.id))).status, 422);
  });
});

describe('the token of a download URL', () => {
  it('is in no log', async () => {
    const lines: string[] = [];
    const log = makeLog('trace', { write: (line: string) => void lines.push(line) });
    const { owner } = await cast(await startServer({}, log));
    const file = (await owner.upload('a', 'a')).body;
    const { url } = (await owner.post(`/cogs/${file.id}/download-url`, {})).body;
    await (await fetch(url)).text();
    await owner.delete(`/cogs/${file.id}`);
    await (await fetch(url)).text();

    assert.ok(lines.some((line) => line.includes('/d/:token')));
    assert.ok(!lines.join('').includes(url.split('/').at(-1)));
  });

  it('is guessed only so often, and those that work go on to work', async () => {
    const server = await startServer({ RATE_LIMIT_DEFAULT: '20' });
    const { owner } = await cast(server);
    const file = (await owner.upload('a', 'a')).body;
    const make = async () => (await owner.post(`/cogs/${file.id}/download-url`, {})).body.url;
    const [known, fresh] = [await make(), await make()];
    assert.equal((await fetch(known)).status, 200);
    const guess = async () => (await fetch(`${server.url}/d/guess`)).status;

    const statuses = [];
    for (let count = 0; count < 25; count += 1) statuses.push(await guess());

    assert.deepEqual(statuses, [...Array(20).fill(404), ...Array(5).fill(429)]);
    for (let count = 0; count < 30; count += 1) assert.equal((await fetch(known)).status, 200);
    assert.equal((await fetch(fresh)).status, 429);
  });
});
