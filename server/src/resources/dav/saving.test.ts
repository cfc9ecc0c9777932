import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../test/cast.ts';
import { davClient, lock } from '../../../test/dav.ts';
import { folder, share } from '../../../test/sharing.ts';

/** A shared file with a version, and a program that saves it by writing another and moving that. */
async function stage() {
  const people = await cast();
  const { server, owner, viewer } = people;
  const docs = await folder(owner, 'Docs');
  const dav = await davClient(server, owner);
  await dav('PUT', '/Docs/report.txt', { body: 'first' });
  await dav('PUT', '/Docs/report.txt', { body: 'second' });
  const found = async (name: string, by: Client = owner) =>
    (await by.get(`/cogs/?parent_id=${docs.id}&name=${encodeURIComponent(name)}`)).body[0];
  const { id } = await found('report.txt');
  await share(owner, id, viewer, 'viewer');
  const over = (headers = {}) => ({ headers: { destination: '/dav/Docs/report.txt', ...headers } });
  const trash = async () =>
    (await owner.get('/cogs/trash')).body.map(({ name }: { name: string }) => name);
  return { ...people, docs, dav, found, id, over, trash };
}

describe('a file that is saved by moving another over it', () => {
  it('stays the one that was shared, and gets a version', async () => {
    const { owner, viewer, dav, found, id, over, trash } = await stage();
    const written = { body: 'third', headers: { 'x-oc-mtime': '1000000000' } };
    const { headers } = await dav('PUT', '/Docs/~WRD0001.tmp', written);

    assert.equal((await dav('MOVE', '/Docs/~WRD0001.tmp', over())).status, 204);

    const file = await found('report.txt');
    assert.deepEqual([file.id, file.version, file.mime_type], [id, 3, 'text/plain']);
    const read = await dav('GET', '/Docs/report.txt');
    assert.deepEqual([read.text, read.headers.etag], ['third', headers.etag]);
    assert.equal(read.headers['last-modified'], new Date(1e12).toUTCString());
    assert.equal((await viewer.get(`/cogs/${id}/download`)).body, 'third');
    assert.equal((await owner.get(`/cogs/${id}/download?version=2`)).body, 'second');
    assert.equal((await dav('GET', '/Docs/~WRD0001.tmp')).status, 404);
    assert.deepEqual(await trash(), ['~WRD0001.tmp']);
  });

  it('can be saved so by who may change it, but not delete it', async () => {
    const { server, owner, editor, dav, docs, id, over } = await stage();
    await share(owner, docs.id, editor, 'editor');
    const theirs = await davClient(server, editor);
    await theirs('PUT', '/Docs/mine.tmp', { body: 'third' });

    assert.equal((await theirs('MOVE', '/Docs/mine.tmp', over())).status, 204);
    assert.equal((await dav('GET', '/Docs/report.txt')).text, 'third');
    assert.equal((await owner.get(`/cogs/${id}`)).body.version, 3);
  });

  it('stays locked for its program, and is not changed without the token', async () => {
    const { dav, over } = await stage();
    const token = await lock(dav, '/Docs/report.txt');
    await dav('PUT', '/Docs/a.tmp', { body: 'third' });

    assert.equal((await dav('MOVE', '/Docs/a.tmp', over())).status, 423);
    const held = over({ if: `</dav/Docs/report.txt> (${token})` });
    assert.equal((await dav('MOVE', '/Docs/a.tmp', held)).status, 204);
    assert.equal((await dav('PUT', '/Docs/report.txt', { body: 'x' })).status, 423);
    assert.equal((await dav('GET', '/Docs/report.txt')).text, 'third');
  });

  it('gets the properties of the other, or keeps its own if that has none', async () => {
    const { dav, over } = await stage();
    const set = (path: string, properties: string) =>
      dav('PROPPATCH', path, {
        body: `<D:propertyupdate xmlns:D="DAV:" xmlns="x"><D:set><D:prop>${properties}</D:prop></D:set></D:propertyupdate>`,
      });
    const kept = async () => {
      const headers = { depth: '0' };
      const { text } = await dav('PROPFIND', '/Docs/report.txt', { headers });
      return [...text.matchAll(/<x:(p[abc]) xmlns:x="x">(\w*)</g)].map(
        ([, ...found]) => `${found}`,
      );
    };
    await set('/Docs/report.txt', '<pa>1</pa><pb>1</pb>');
    await dav('PUT', '/Docs/a.tmp', { body: 'third' });
    await dav('MOVE', '/Docs/a.tmp', over());
    assert.deepEqual(await kept(), ['pa,1', 'pb,1']);

    await dav('PUT', '/Docs/a.tmp', { body: 'fourth' });
    await set('/Docs/a.tmp', '<pb>2</pb><pc>2</pc>');
    await dav('MOVE', '/Docs/a.tmp', over());
    assert.deepEqual(await kept(), ['pb,2', 'pc,2']);
  });

  it('is replaced by a file that has versions or people of its own, which it keeps', async () => {
    const { owner, editor, dav, found, id, over, trash } = await stage();
    await dav('PUT', '/Docs/a.txt', { body: 'a' });
    await dav('PUT', '/Docs/a.txt', { body: 'b' });
    const withVersions = await found('a.txt');
    assert.equal((await dav('MOVE', '/Docs/a.txt', over())).status, 204);
    assert.equal((await found('report.txt')).id, withVersions.id);
    assert.deepEqual(await trash(), ['report.txt']);
    assert.equal((await owner.get(`/cogs/${id}`)).status, 404);

    for (const give of [
      (one: number) => share(owner, one, editor, 'viewer'),
      (one: number) => owner.post(`/cogs/${one}/download-url`, {}),
    ]) {
      await dav('PUT', '/Docs/c.txt', { body: 'c' });
      const shared = await found('c.txt');
      await give(shared.id);
      assert.equal((await dav('MOVE', '/Docs/c.txt', over())).status, 204);
      assert.equal((await found('report.txt')).id, shared.id);
    }
  });
});
