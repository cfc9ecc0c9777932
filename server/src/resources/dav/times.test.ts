import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { davClient } from '../../../test/dav.ts';

const then = 1_700_000_000;
const thenText = 'Tue, 14 Nov 2023 22:13:20 GMT';

async function stage() {
  const people = await cast();
  const dav = await davClient(people.server, people.owner);
  const timeOf = async (path: string) => {
    const { text } = await dav('PROPFIND', path, { headers: { depth: '0' } });
    const [, time] = /<D:getlastmodified>([^<]*)</.exec(text) ?? [];
    const { headers } = await dav('HEAD', path);
    assert.equal(headers['last-modified'], time);
    return time;
  };
  return { ...people, dav, timeOf };
}

describe('the time of a file over WebDAV', () => {
  it('is the one its client tells, also in a list and after a move', async () => {
    const { dav, timeOf } = await stage();
    const put = await dav('PUT', '/a.txt', { body: 'a', headers: { 'x-oc-mtime': `${then}.5` } });

    assert.equal(put.headers['x-oc-mtime'], 'accepted');
    assert.equal(await timeOf('/a.txt'), thenText);
    const list = await dav('PROPFIND', '/', { headers: { depth: '1' } });
    assert.ok(list.text.includes(`<D:getlastmodified>${thenText}<`));
    await dav('MOVE', '/a.txt', { headers: { destination: '/dav/b.txt' } });
    await dav('COPY', '/b.txt', { headers: { destination: '/dav/c.txt' } });
    assert.equal(await timeOf('/b.txt'), thenText);
    assert.equal(await timeOf('/c.txt'), thenText);
  });

  it('is that of the content: a later one has its own', async () => {
    const { owner, dav, timeOf } = await stage();
    await dav('PUT', '/a.txt', { body: 'a', headers: { 'x-oc-mtime': String(then) } });
    await dav('PUT', '/a.txt', { body: 'b' });

    const [{ updated_at }] = (await owner.get('/cogs/?name=a.txt')).body;
    assert.equal(await timeOf('/a.txt'), new Date(updated_at).toUTCString());
  });

  it('can be set later, to what is a time', async () => {
    const { dav, timeOf } = await stage();
    await dav('PUT', '/a.txt', { body: 'a' });
    const set = (value: string) =>
      dav('PROPPATCH', '/a.txt', {
        body: `<propertyupdate xmlns="DAV:"><set><prop><lastmodified>${value}</lastmodified></prop></set></propertyupdate>`,
      });

    assert.match((await set(String(then))).text, /200 OK/);
    assert.equal(await timeOf('/a.txt'), thenText);
    for (const value of ['yesterday', '', '-1', '999999999999']) {
      assert.match((await set(value)).text, /409 Conflict/, value);
    }
    assert.equal(await timeOf('/a.txt'), thenText);
  });

  it('is not taken from a header that holds none', async () => {
    const { owner, dav, timeOf } = await stage();
    for (const value of ['', 'x', '-5', '1e9', '9'.repeat(20)]) {
      const put = await dav('PUT', '/a.txt', { body: value, headers: { 'x-oc-mtime': value } });
      assert.equal(put.headers['x-oc-mtime'], undefined, value);
    }
    const [{ updated_at }] = (await owner.get('/cogs/?name=a.txt')).body;
    assert.equal(await timeOf('/a.txt'), new Date(updated_at).toUTCString());
  });
});
