import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { davClient, lockInfo } from '../../../test/dav.ts';

const patch =
  '<propertyupdate xmlns="DAV:"><set><prop><p xmlns="x">1</p></prop></set></propertyupdate>';

/** Every way to change, or take, what is at `/a.txt`. */
const requests: [method: string, headers?: Record<string, string>, body?: string][] = [
  ['PUT', {}, 'changed'],
  ['PROPPATCH', {}, patch],
  ['LOCK', {}, lockInfo()],
  ['COPY', { destination: '/dav/b.txt' }],
  ['MOVE', { destination: '/dav/b.txt' }],
  ['DELETE'],
];

async function stage() {
  const people = await cast();
  const dav = await davClient(people.server, people.owner);
  const then = { 'x-oc-mtime': '1700000000' };
  const { headers } = await dav('PUT', '/a.txt', { body: 'a', headers: then });
  return { dav, etag: String(headers.etag) };
}

const atThatTime = 'Tue, 14 Nov 2023 22:13:20 GMT';
const before = 'Tue, 14 Nov 2023 22:13:19 GMT';

describe('a condition of HTTP', () => {
  it('that does not hold forbids every change', async () => {
    const { dav, etag } = await stage();
    for (const condition of [
      { 'if-match': '"other"' },
      { 'if-match': `W/${etag}` },
      { 'if-none-match': '*' },
      { 'if-none-match': `"other", W/${etag}` },
      { 'if-unmodified-since': before },
    ]) {
      for (const [method, headers, body = ''] of requests) {
        const answer = await dav(method, '/a.txt', { headers: { ...headers, ...condition }, body });
        assert.equal(answer.status, 412, `${method} ${JSON.stringify(condition)}`);
      }
    }
    const { text } = await dav('PROPFIND', '/', { headers: { depth: '1' } });
    assert.ok(!text.includes('b.txt') && !text.includes('<x:p'), text);
    assert.equal((await dav('GET', '/a.txt')).text, 'a');
    assert.equal((await dav('MKCOL', '/New', { headers: { 'if-match': '*' } })).status, 412);
  });

  it('that holds forbids none', async () => {
    for (const [method, headers, body = ''] of requests) {
      for (const matching of [
        (etag: string) => ({ 'if-match': `"other", ${etag}`, 'if-none-match': '"other"' }),
        // The date is not compared beside If-Match.
        () => ({ 'if-match': '*', 'if-unmodified-since': before }),
      ]) {
        const { dav, etag } = await stage();
        const init = { headers: { ...headers, ...matching(etag) }, body };
        const { status } = await dav(method, '/a.txt', init);
        assert.ok(status < 300, `${method}: ${status}`);
      }
    }
    const { dav } = await stage();
    for (const date of ['yesterday', atThatTime]) {
      const headers = { 'if-unmodified-since': date };
      assert.equal((await dav('PROPPATCH', '/a.txt', { headers, body: patch })).status, 207, date);
    }
  });

  it('is one of readers too', async () => {
    const { dav, etag } = await stage();
    const get = async (headers: Record<string, string>) =>
      (await dav('GET', '/a.txt', { headers })).status;

    assert.equal(await get({ 'if-match': etag }), 200);
    assert.equal(await get({ 'if-match': '"other"' }), 412);
    assert.equal(await get({ 'if-unmodified-since': before }), 412);
    assert.equal(await get({ 'if-none-match': `W/${etag}` }), 304);
  });
});
