import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { type Dav, davClient } from '../../../test/dav.ts';
import { costOf } from '../../../test/statements.ts';
import { changeTenantSettings } from '../users/users.ts';

async function stage(storage_limit_bytes: number | null) {
  const people = await cast();
  const { db } = people.server.services;
  await changeTenantSettings(db, people.owner.user.tenant_id, { storage_limit_bytes });
  const dav = await davClient(people.server, people.owner);
  await dav('MKCOL', '/Docs');
  await dav('PUT', '/Docs/a.txt', { body: 'x'.repeat(300) });
  return { ...people, dav };
}

const both = '<quota-available-bytes/><quota-used-bytes/>';

const ask = (dav: Dav, path: string, prop = both, depth = '0') =>
  dav('PROPFIND', path, {
    headers: { depth },
    body: `<propfind xmlns="DAV:"><prop>${prop}</prop></propfind>`,
  });

describe('the room for files, over WebDAV', () => {
  it('is told of folders: what is used, and what is left below the limit', async () => {
    const { dav } = await stage(1000);
    const { text, addresses } = await ask(dav, '/Docs', both, '1');
    const told =
      '<D:quota-available-bytes>700</D:quota-available-bytes><D:quota-used-bytes>300</D:quota-used-bytes>';

    const [, folder = '', file = ''] = text.split('<D:response>');
    assert.equal(addresses.length, 2);
    assert.ok(folder.includes(`${told}</D:prop><D:status>HTTP/1.1 200`), text);
    assert.match(file, /<D:quota-available-bytes\/><D:quota-used-bytes\/>.*404 Not Found/);
    assert.ok((await ask(dav, '/Shared%20with%20me')).text.includes(told));
  });

  it('is never less than none, and not told where there is no limit', async () => {
    const low = await stage(1000);
    const { db } = low.server.services;
    await changeTenantSettings(db, low.owner.user.tenant_id, { storage_limit_bytes: 100 });
    const free = await stage(null);

    assert.match((await ask(low.dav, '/')).text, /<D:quota-available-bytes>0</);
    const { text } = await ask(free.dav, '/');
    assert.match(text, /<D:quota-used-bytes>300<.*200 OK.*<D:quota-available-bytes\/>.*404/);
  });

  it('costs nothing where it is not asked for by name, and cannot be set', async () => {
    const { dav, server } = await stage(1000);
    const cost = async (prop: string) =>
      (await costOf(server, () => ask(dav, '/Docs', prop, '1'))).statements;
    const all = await dav('PROPFIND', '/Docs', { headers: { depth: '0' } });
    const set = await dav('PROPPATCH', '/Docs', {
      body: '<propertyupdate xmlns="DAV:"><set><prop><quota-used-bytes>1</quota-used-bytes></prop></set></propertyupdate>',
    });

    assert.equal(await cost(`<getetag/>${both}`), (await cost('<getetag/>')) + 1);
    assert.doesNotMatch(all.text, /quota/);
    assert.match(set.text, /403 Forbidden/);
  });

  it('is named as the reason where a file does not fit', async () => {
    const { dav } = await stage(1000);
    const refused = await dav('PUT', '/Docs/b.txt', { body: 'x'.repeat(701) });

    assert.equal(refused.status, 507);
    assert.match(refused.text, /<D:error xmlns:D="DAV:"><D:quota-not-exceeded>/);
    assert.equal((await dav('GET', '/Docs/b.txt')).status, 404);
    assert.equal((await dav('PUT', '/Docs/a.txt', { body: 'x'.repeat(701) })).status, 507);
  });
});
