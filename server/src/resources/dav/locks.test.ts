import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { type Dav, davClient, lock, lockInfo } from '../../../test/dav.ts';
import { folder, share } from '../../../test/sharing.ts';

/** Two users who may both change everything in `/Docs`. */
async function stage() {
  const people = await cast();
  const docs = await folder(people.owner, 'Docs');
  await share(people.owner, docs.id, people.editor, 'owner');
  const one = await davClient(people.server, people.owner);
  const other = await davClient(people.server, people.editor);
  await one('PUT', '/Docs/a.txt', { body: 'a' });
  return { ...people, docs, one, other };
}

const put = async (dav: Dav, path: string, headers: Record<string, string> = {}) =>
  (await dav('PUT', path, { body: 'changed', headers })).status;

const takes = async (dav: Dav, path: string, scope: 'exclusive' | 'shared' = 'exclusive') =>
  (await dav('LOCK', path, { body: lockInfo(scope) })).status;

describe('a lock', () => {
  it('keeps others from changing a file, and its holder without the token', async () => {
    const { one, other } = await stage();
    const token = await lock(one, '/Docs/a.txt');

    const refused = await other('PUT', '/Docs/a.txt', { body: 'x' });
    assert.equal(refused.status, 423);
    assert.match(refused.text, /<D:lock-token-submitted><D:href>\/dav\/Docs\/a\.txt</);
    assert.equal(await put(one, '/Docs/a.txt'), 423);
    assert.equal(await put(other, '/Docs/a.txt', { if: `(${token})` }), 423);
    assert.equal((await other('DELETE', '/Docs/a.txt')).status, 423);
    assert.equal((await other('DELETE', '/Docs')).status, 423);
    const away = { headers: { destination: '/dav/Docs/b.txt' } };
    assert.equal((await other('MOVE', '/Docs/a.txt', away)).status, 423);
    assert.equal((await other('GET', '/Docs/a.txt')).text, 'a');
    assert.equal(await put(one, '/Docs/a.txt', { if: `(${token})` }), 204);
    assert.equal(await put(one, '/Docs/a.txt', { if: `</dav/Docs/a.txt> (${token})` }), 204);
  });

  it('ends with its release, and is released once, where it is', async () => {
    const { one, other } = await stage();
    const token = await lock(one, '/Docs/a.txt');
    await one('PUT', '/Docs/b.txt', { body: 'b' });
    const release = async (path: string) =>
      (await one('UNLOCK', path, { headers: { 'lock-token': token } })).status;

    assert.equal(await release('/Docs/b.txt'), 409);
    assert.equal(await release('/Docs/a.txt'), 204);
    assert.equal(await release('/Docs/a.txt'), 409);
    assert.equal(await put(other, '/Docs/a.txt'), 204);
    assert.equal((await one('UNLOCK', '/Docs/a.txt')).status, 400);
  });

  it('of somebody else is released only by who may delete the file', async () => {
    const { one, other, server, owner, viewer, docs } = await stage();
    await share(owner, docs.id, viewer, 'editor');
    const third = await davClient(server, viewer);
    const token = await lock(one, '/Docs/a.txt');
    const release = (dav: Dav) =>
      dav('UNLOCK', '/Docs/a.txt', { headers: { 'lock-token': token } });

    assert.equal((await release(third)).status, 403);
    assert.equal((await release(other)).status, 204);
  });

  it('of a folder is not released by who may delete only what is in it', async () => {
    const { one, other, server, owner, viewer, docs } = await stage();
    const inside = await folder(owner, 'In', docs.id);
    await share(owner, docs.id, viewer, 'viewer');
    await share(owner, inside.id, viewer, 'owner');
    const third = await davClient(server, viewer);
    const token = await lock(one, '/Docs');
    const release = (dav: Dav, path: string) =>
      dav('UNLOCK', path, { headers: { 'lock-token': token } });

    assert.equal((await release(third, '/Docs/In')).status, 403);
    assert.equal(await put(third, '/Docs/In/a.txt'), 423);
    assert.equal((await release(other, '/Docs/In')).status, 204);
  });

  it('ends for the folder when the API puts what is locked into the trash', async () => {
    const { one, other, editor } = await stage();
    await one('MKCOL', '/Docs/In');
    await one('PUT', '/Docs/In/b.txt', { body: 'b' });
    await lock(one, '/Docs/In/b.txt');
    const [found] = (await editor.get('/cogs/search?q=b.txt')).body;
    await editor.delete(`/cogs/${found.id}`);

    assert.equal(await takes(other, '/Docs/In'), 200);
  });

  it('of a hidden folder keeps what is shared from being taken out of it', async () => {
    const { one, server, owner, viewer } = await stage();
    const hidden = await folder(owner, 'Hidden');
    const deep = await folder(owner, 'Deep', hidden.id);
    await share(owner, deep.id, viewer, 'owner');
    const third = await davClient(server, viewer);
    await lock(one, '/Hidden', { depth: '0' });
    const path = '/Shared%20with%20me/Deep';
    const away = { headers: { destination: '/dav/Shared%20with%20me/Other' } };

    assert.equal((await third('MOVE', path, away)).status, 423);
    assert.equal((await third('DELETE', path)).status, 423);
    assert.equal(await put(third, `${path}/a.txt`), 201);
  });

  it('excludes others, unless all of them are shared', async () => {
    const { one, other } = await stage();

    assert.equal(await takes(one, '/Docs/a.txt', 'shared'), 200);
    assert.equal(await takes(other, '/Docs/a.txt', 'shared'), 200);
    const refused = await other('LOCK', '/Docs/a.txt', { body: lockInfo() });
    assert.equal(refused.status, 423);
    assert.match(refused.text, /no-conflicting-lock/);
    assert.equal(await takes(other, '/Docs'), 423);
    assert.equal(await put(one, '/Docs/a.txt'), 423);
  });

  it('is taken by one of those who race for it', async () => {
    const { one, other } = await stage();
    const race = [one, other, one, other, one, other].map((dav) => takes(dav, '/Docs/a.txt'));

    assert.deepEqual((await Promise.all(race)).sort(), [200, 423, 423, 423, 423, 423]);
  });

  it('is taken by one of those who race for a new name, and makes the file once', async () => {
    const { one, other } = await stage();
    const race = await Promise.all([one, other, one].map((dav) => takes(dav, '/Docs/new.txt')));

    assert.deepEqual(race.map((status) => (status === 409 ? 423 : status)).sort(), [201, 423, 423]);
    assert.equal((await one('GET', '/Docs/new.txt')).text, '');
  });

  it('on a folder protects its members, and with depth infinity all that is below', async () => {
    const { one, other } = await stage();
    await one('MKCOL', '/Docs/In');
    const flat = await lock(one, '/Docs', { depth: '0' });

    assert.equal(await put(other, '/Docs/new.txt'), 423);
    assert.equal((await other('MKCOL', '/Docs/New')).status, 423);
    assert.equal((await other('DELETE', '/Docs/a.txt')).status, 423);
    assert.equal(await put(other, '/Docs/a.txt'), 204);
    assert.equal(await put(other, '/Docs/In/b.txt'), 201);
    await one('UNLOCK', '/Docs', { headers: { 'lock-token': flat } });

    const deep = await lock(one, '/Docs', { depth: 'infinity' });
    assert.equal(await put(other, '/Docs/In/b.txt'), 423);
    assert.equal(await takes(other, '/Docs/In/b.txt'), 423);
    assert.equal(await put(one, '/Docs/In/b.txt', { if: `(${deep})` }), 204);
    assert.equal(await put(one, '/Docs/In/new.txt', { if: `(${deep})` }), 201);
  });

  it('is told to all who see the resource, with where it was taken', async () => {
    const { one, other } = await stage();
    const token = await lock(one, '/Docs', { timeout: 'Second-600' });
    const seen = await other('PROPFIND', '/Docs', { headers: { depth: '1' } });

    assert.equal(seen.text.split(token.slice(1, -1)).length, 3);
    assert.equal(seen.text.split('<D:lockroot><D:href>/dav/Docs/</D:href>').length, 3);
    assert.match(seen.text, /<D:timeout>Second-(600|599)</);
    assert.match(seen.text, /<D:owner>me<\/D:owner>/);
  });

  it('gets new time from its holder, and no other', async () => {
    const { one, other } = await stage();
    const token = await lock(one, '/Docs/a.txt', { timeout: 'Second-5' });
    const refresh = (dav: Dav, timeout: string) =>
      dav('LOCK', '/Docs/a.txt', { headers: { if: `(${token})`, timeout } });

    assert.match((await refresh(one, 'Second-900')).text, /Second-900/);
    assert.match((await refresh(one, 'Infinite, Second-4100000000')).text, /Second-3600/);
    assert.equal((await refresh(other, 'Second-900')).status, 412);
    assert.equal((await one('LOCK', '/Docs/a.txt')).status, 400);
  });

  it('ends by itself', async () => {
    const { one, other, server, owner } = await stage();
    await lock(one, '/Docs/a.txt');
    await server.services.db`
      update dav_locks set expires_at = now() where tenant_id = ${owner.user.tenant_id}
    `;

    assert.equal(await put(other, '/Docs/a.txt'), 204);
    assert.equal(await takes(other, '/Docs/a.txt'), 200);
  });

  it('does not move along, and does not outlive what it was on', async () => {
    const { one, other } = await stage();
    const token = await lock(one, '/Docs/a.txt');
    await one('MOVE', '/Docs/a.txt', {
      headers: { destination: '/dav/Docs/b.txt', if: `</dav/Docs/a.txt> (${token})` },
    });

    assert.equal(await put(other, '/Docs/b.txt'), 204);
    assert.equal(await put(other, '/Docs/a.txt'), 201);
  });

  it('binds WebDAV clients only', async () => {
    const { one, editor } = await stage();
    await lock(one, '/Docs/a.txt');
    const [found] = (await editor.get('/cogs/search?q=a.txt')).body;

    assert.equal((await editor.patch(`/cogs/${found.id}`, { name: 'b.txt' })).status, 200);
  });

  it('is wanted by a body that can be understood', async () => {
    const { one } = await stage();
    const status = async (body: string, headers = {}) =>
      (await one('LOCK', '/Docs/a.txt', { body, headers })).status;

    assert.equal(await status('<lockinfo xmlns="DAV:"/>'), 400);
    assert.equal(await status('<propfind xmlns="DAV:"/>'), 400);
    assert.equal(await status(lockInfo('exclusive', 'x'.repeat(10_000))), 400);
    assert.equal(await status(lockInfo(), { depth: '1' }), 400);
    assert.equal(await status(lockInfo(), { if: 'nonsense' }), 400);
  });
});

describe('the header If', () => {
  it('refuses a change of what is not as the client believes', async () => {
    const { one } = await stage();
    const token = await lock(one, '/Docs/a.txt');

    for (const [conditions, status] of [
      [`(${token})`, 204],
      [`(<urn:uuid:0>)`, 412],
      [`(<urn:uuid:0>) (${token})`, 204],
      [`(Not <DAV:no-lock> ${token})`, 204],
      [`(Not ${token})`, 412],
      [`(${token} ["0"])`, 412],
      [`</dav/Docs/none.txt> (${token})`, 412],
      [`<http://elsewhere.example/dav/Docs/a.txt> (${token})`, 412],
      [`(${token}`, 400],
      [`()`, 400],
      [`</dav/Docs/a.txt>`, 400],
      [`(Not)`, 400],
      ['('.repeat(1000), 400],
      [`(<a>) `.repeat(200), 400],
    ] as const) {
      assert.equal(await put(one, '/Docs/a.txt', { if: conditions }), status, conditions);
    }
  });
});
