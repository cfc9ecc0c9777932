import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { basic, davClient, davClientWith, newKey, openRequest } from '../../../test/dav.ts';
import { until } from '../../../test/until.ts';

async function stage() {
  const people = await cast();
  const dav = await davClient(people.server, people.owner);
  const put = (path: string, body: string, headers = {}) => dav('PUT', path, { body, headers });
  const list = async (path: string) =>
    (await dav('PROPFIND', path, { headers: { depth: '1' } })).addresses;
  const textAt = async (path: string) => (await dav('GET', path)).text;
  return { ...people, dav, put, list, textAt };
}

describe('a WebDAV client', () => {
  it('is asked for credentials, and is known by an API key, whatever the name', async () => {
    const { server, owner } = await stage();
    const key = await newKey(owner);
    const statusWith = async (headers: Record<string, string>) =>
      (await davClientWith(server, headers)('PROPFIND', '/', { headers: { depth: '0' } })).status;

    const anonymous = await davClientWith(server, {})('PROPFIND', '/');
    assert.equal(anonymous.status, 401);
    assert.equal(anonymous.headers['www-authenticate'], 'Basic realm="Cogworks"');
    assert.equal(await statusWith({ authorization: basic(key) }), 207);
    assert.equal(await statusWith({ authorization: basic(key, '') }), 207);
    assert.equal(await statusWith({ 'x-api-key': key }), 207);
    assert.equal(await statusWith({ authorization: basic(`${key}x`) }), 401);
    assert.equal(await statusWith({ authorization: basic('password') }), 401);
    assert.equal(await statusWith({ authorization: 'Basic ???' }), 401);
    assert.equal(await statusWith({ authorization: `Basic ${btoa(key)}` }), 401);
  });

  it('is refused from the moment its key is revoked', async () => {
    const { server, owner } = await stage();
    const { body } = await owner.post('/api-keys', { description: 'mount' });
    const dav = davClientWith(server, { authorization: basic(body.access_key) });
    assert.equal((await dav('PROPFIND', '/', { headers: { depth: '0' } })).status, 207);
    await owner.delete(`/api-keys/${body.id}`);

    assert.equal((await dav('PROPFIND', '/', { headers: { depth: '0' } })).status, 401);
  });

  it('learns what the server can do without credentials', async () => {
    const { server } = await stage();
    const answer = await davClientWith(server, {})('OPTIONS', '/any');

    assert.equal(answer.status, 200);
    assert.equal(answer.headers.dav, '1, 2');
    assert.match(String(answer.headers.allow), /PROPFIND.*LOCK/);
  });

  it('does not use HTTP Basic elsewhere', async () => {
    const { server, owner } = await stage();
    const headers = { authorization: basic(await newKey(owner)) };

    const answer = await fetch(`${server.url}/me`, { headers });
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  });
});

describe('files over WebDAV', () => {
  it('are stored, read and listed under any name, and are the same files for the API', async () => {
    const { owner, dav, put, list, textAt } = await stage();
    const names = ['a b.txt', '100%.txt', 'ü & <ö> "q".txt', 'back\\slash#?.txt', '%41.txt'];
    await dav('MKCOL', '/Docs');
    for (const name of names) {
      assert.equal((await put(`/Docs/${encodeURIComponent(name)}`, name)).status, 201, name);
    }

    const [folder] = (await owner.get('/cogs/?name=Docs')).body;
    const cogs = (await owner.get(`/cogs/?parent_id=${folder.id}`)).body;
    assert.deepEqual(cogs.map(({ name }: { name: string }) => name).sort(), names.toSorted());
    const addresses = names.map((name) => `/dav/Docs/${encodeURIComponent(name)}`);
    assert.deepEqual((await list('/Docs')).sort(), ['/dav/Docs/', ...addresses].sort());
    for (const name of names) assert.equal(await textAt(`/Docs/${encodeURIComponent(name)}`), name);
  });

  it('are found by either form of an accented letter', async () => {
    const { put, textAt } = await stage();
    await put(`/${encodeURIComponent('e\u0301te\u0301')}`, 'été');

    assert.equal(await textAt(`/${encodeURIComponent('\u00e9t\u00e9')}`), 'été');
  });

  it('get a new version when stored again, and keep the one before', async () => {
    const { owner, put, textAt } = await stage();
    const first = await put('/a.txt', 'one');
    const second = await put('/a.txt', 'two');

    assert.deepEqual([first.status, second.status], [201, 204]);
    assert.notEqual(first.headers.etag, second.headers.etag);
    const [{ id, version }] = (await owner.get('/cogs/?name=a.txt')).body;
    assert.equal(version, 2);
    assert.equal(await textAt('/a.txt'), 'two');
    const before = await owner.get(`/cogs/${id}/download?version=1`);
    assert.equal(before.body, 'one');
  });

  it('are replaced only under the conditions of the request', async () => {
    const { put, textAt } = await stage();
    const { headers } = await put('/a.txt', 'one', { 'if-none-match': '*' });
    const etag = String(headers.etag);

    assert.equal((await put('/a.txt', 'x', { 'if-none-match': '*' })).status, 412);
    assert.equal((await put('/a.txt', 'x', { 'if-none-match': etag })).status, 412);
    assert.equal((await put('/a.txt', 'x', { 'if-match': '"0"' })).status, 412);
    assert.equal((await put('/b.txt', 'x', { 'if-match': '*' })).status, 412);
    assert.equal((await put('/a.txt', 'x', { if: `(["0"])` })).status, 412);
    assert.equal(await textAt('/a.txt'), 'one');
    assert.equal((await put('/a.txt', 'two', { if: `([${etag}])` })).status, 204);
    assert.equal((await put('/a.txt', 'three', { 'if-match': etag })).status, 412);
    assert.equal(await textAt('/a.txt'), 'two');
  });

  it('are made once by clients that race for a name and want it new', async () => {
    const { put } = await stage();
    const race = ['1', '2', '3', '4'].map((body) => put('/a.txt', body, { 'if-none-match': '*' }));

    const statuses = (await Promise.all(race)).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [201, 412, 412, 412]);
  });

  it('are one after the other when clients race for a name and do not mind: versions of one', async () => {
    const { owner, put, textAt } = await stage();
    for (const name of ['a', 'b', 'c', 'd']) {
      const texts = ['1', '2', '3', '4', '5'];
      const all = await Promise.all(texts.map((text) => put(`/${name}`, text)));
      assert.deepEqual(all.map(({ status }) => status).sort(), [201, 204, 204, 204, 204]);
      const [file] = (await owner.get(`/cogs/?name=${name}`)).body;
      assert.equal((await owner.get(`/cogs/${file.id}/versions`)).body.length, 5);
      assert.ok(texts.includes(await textAt(`/${name}`)));
    }
  });

  it('are sent in ranges, with an ETag and a type that runs nothing', async () => {
    const { dav, put } = await stage();
    await put('/page.html', '0123456789');
    const whole = await dav('GET', '/page.html');
    const part = await dav('GET', '/page.html', { headers: { range: 'bytes=2-4' } });
    const same = await dav('GET', '/page.html', {
      headers: { 'if-none-match': String(whole.headers.etag) },
    });
    const head = await dav('HEAD', '/page.html');

    assert.equal(whole.headers['content-type'], 'application/octet-stream');
    assert.ok(whole.headers['last-modified']);
    assert.deepEqual([part.status, part.text], [206, '234']);
    assert.equal(same.status, 304);
    assert.deepEqual([head.status, head.headers['content-length'], head.text], [200, '10', '']);
  });

  it('may be empty, or come without an announced size', async () => {
    const { server, owner, put, textAt } = await stage();
    const headers = { authorization: basic(await newKey(owner)) };
    const chunked = openRequest(server, 'PUT', '/chunked', headers);
    chunked.write('one ');
    chunked.end('two');
    const [response] = await once(chunked, 'response');

    assert.equal(response.statusCode, 201);
    assert.equal(await textAt('/chunked'), 'one two');
    assert.equal((await put('/empty', '')).status, 201);
    assert.equal(await textAt('/empty'), '');
  });

  it('stay as they were when the client goes away in the middle', async () => {
    const { server, owner, put, textAt, list } = await stage();
    const { db } = server.services;
    const pending = async () => {
      const [row] = await db<{ count: number }[]>`
        select count(*) from objects
        where tenant_id = ${owner.user.tenant_id} and state = 'pending'
      `;
      return row?.count;
    };
    await put('/old.txt', 'old');
    const headers = { authorization: basic(await newKey(owner)), 'content-length': 5_000_000 };

    for (const path of ['/old.txt', '/new.txt']) {
      const sent = openRequest(server, 'PUT', path, headers);
      sent.on('error', () => {});
      sent.write(Buffer.alloc(1_000_000));
      await until('the bytes arrive', async () => (await pending()) === 1);
      sent.destroy();
      await until('the server gave up', async () => (await pending()) === 0);
    }
    assert.deepEqual(await list('/'), ['/dav/', '/dav/Shared%20with%20me/', '/dav/old.txt']);
    assert.equal(await textAt('/old.txt'), 'old');
  });

  it('cannot be stored in part, over a folder, or where there is no folder', async () => {
    const { dav, put } = await stage();
    await dav('MKCOL', '/Docs');
    await put('/a.txt', 'a');

    assert.equal((await put('/a.txt', 'x', { 'content-range': 'bytes 0-0/1' })).status, 400);
    assert.equal((await put('/Docs', 'x')).status, 405);
    assert.equal((await put('/None/a.txt', 'x')).status, 409);
    assert.equal((await put('/a.txt/b.txt', 'x')).status, 409);
    assert.equal((await dav('GET', '/Docs')).status, 405);
    assert.equal((await dav('GET', '/none')).status, 404);
  });
});

describe('folders over WebDAV', () => {
  it('are made where nothing is, below a folder, without a body', async () => {
    const { dav, put } = await stage();
    await put('/a.txt', 'a');

    assert.equal((await dav('MKCOL', '/Docs/')).status, 201);
    assert.equal((await dav('MKCOL', '/Docs')).status, 405);
    assert.equal((await dav('MKCOL', '/a.txt')).status, 405);
    assert.equal((await dav('MKCOL', '/')).status, 405);
    assert.equal((await dav('MKCOL', '/None/Docs')).status, 409);
    assert.equal((await dav('MKCOL', '/a.txt/Docs')).status, 409);
    assert.equal((await dav('MKCOL', '/New', { body: '<a/>' })).status, 415);
    assert.equal((await dav('MKCOL', '/Workflow%20outputs')).status, 403);
  });

  it('are refused below the deepest one as what can never be, not as missing one above', async () => {
    const { dav } = await stage();
    let [path, made] = ['/x', await dav('MKCOL', '/x')];
    for (let level = 0; level < 200 && made.status === 201; level += 1) {
      path += '/x';
      made = await dav('MKCOL', path);
    }

    assert.equal(made.status, 403);
    assert.match(made.text, /depth_limit/);
  });

  it('go into the trash with all that is in them', async () => {
    const { owner, dav, put, list } = await stage();
    await dav('MKCOL', '/Docs');
    await put('/Docs/a.txt', 'a');

    assert.equal((await dav('DELETE', '/Docs')).status, 204);
    assert.equal((await dav('DELETE', '/Docs')).status, 404);
    assert.equal((await dav('GET', '/Docs/a.txt')).status, 404);
    assert.deepEqual(
      (await owner.get('/cogs/trash')).body.map(({ name }: { name: string }) => name),
      ['Docs'],
    );
    assert.deepEqual(await list('/'), ['/dav/', '/dav/Shared%20with%20me/']);
  });

  it('cannot lose the root', async () => {
    const { server, admin } = await stage();
    const dav = await davClient(server, admin);

    assert.equal((await dav('DELETE', '/')).status, 403);
    assert.equal((await dav('MOVE', '/', { headers: { destination: '/dav/x' } })).status, 403);
  });
});

describe('moving over WebDAV', () => {
  const to = (destination: string, overwrite?: string) => ({
    headers: { destination, ...(overwrite === undefined ? {} : { overwrite }) },
  });

  it('renames, moves, or both, and keeps what a file is', async () => {
    const { server, owner, dav, put, textAt } = await stage();
    await dav('MKCOL', '/Docs');
    await put('/a.txt', 'one');
    await put('/a.txt', 'two');
    const [before] = (await owner.get('/cogs/?name=a.txt')).body;

    assert.equal((await dav('MOVE', '/a.txt', to(`${server.url}/dav/b.txt`))).status, 201);
    assert.equal((await dav('MOVE', '/b.txt', to('/dav/Docs/c%20c.txt'))).status, 201);
    assert.equal(await textAt('/Docs/c%20c.txt'), 'two');
    const after = (await owner.get(`/cogs/${before.id}`)).body;
    assert.deepEqual([after.name, after.version], ['c c.txt', 2]);
  });

  it('replaces what is at the destination only if it may, and keeps that in the trash', async () => {
    const { owner, dav, put, textAt } = await stage();
    await put('/a.txt', 'before');
    await put('/a.txt', 'a');
    await put('/b.txt', 'b');

    assert.equal((await dav('MOVE', '/a.txt', to('/dav/b.txt', 'F'))).status, 412);
    assert.equal(await textAt('/b.txt'), 'b');
    assert.equal((await dav('MOVE', '/a.txt', to('/dav/b.txt'))).status, 204);
    assert.equal(await textAt('/b.txt'), 'a');
    assert.equal((await owner.get('/cogs/trash')).body[0].name, 'b.txt');
  });

  it('is refused into itself, over itself, over what it is in, and to nowhere', async () => {
    const { dav, list } = await stage();
    await dav('MKCOL', '/Docs');
    await dav('MKCOL', '/Docs/In');

    for (const [from, destination, status] of [
      ['/Docs', '/dav/Docs', 403],
      ['/Docs', '/dav/Docs/In/Docs', 403],
      ['/Docs/In', '/dav/Docs', 403],
      ['/Docs/In', '/dav/', 403],
      ['/Docs', '/dav/None/Docs', 409],
      ['/None', '/dav/Other', 404],
      ['/Docs', 'http://elsewhere.example/dav/Docs', 502],
      ['/Docs', '/elsewhere', 400],
      ['/Docs', 'Docs', 400],
      ['/Docs', '/dav/%2e%2e/Docs', 422],
    ] as const) {
      assert.equal((await dav('MOVE', from, to(destination))).status, status, destination);
    }
    assert.equal((await dav('MOVE', '/Docs')).status, 400);
    assert.deepEqual(await list('/Docs'), ['/dav/Docs/', '/dav/Docs/In/']);
  });
});

describe('copying over WebDAV', () => {
  const to = (destination: string, more = {}) => ({ headers: { destination, ...more } });

  it('copies a file, with what clients keep about it, and shares no later change', async () => {
    const { dav, put, textAt } = await stage();
    await dav('MKCOL', '/Docs');
    await put('/a.txt', 'a');
    await dav('PROPPATCH', '/a.txt', {
      body: '<propertyupdate xmlns="DAV:"><set><prop><p xmlns="x">kept</p></prop></set></propertyupdate>',
    });

    assert.equal((await dav('COPY', '/a.txt', to('/dav/Docs/b.txt'))).status, 201);
    await put('/a.txt', 'changed');
    assert.equal(await textAt('/Docs/b.txt'), 'a');
    const { text } = await dav('PROPFIND', '/Docs/b.txt', { headers: { depth: '0' } });
    assert.match(text, /kept/);
  });

  it('copies a folder with all in it, or alone', async () => {
    const { dav, put, list, textAt } = await stage();
    await dav('MKCOL', '/Docs');
    await dav('MKCOL', '/Docs/In');
    await put('/Docs/In/a.txt', 'a');

    assert.equal((await dav('COPY', '/Docs', to('/dav/Whole'))).status, 201);
    assert.equal(await textAt('/Whole/In/a.txt'), 'a');
    assert.equal((await dav('COPY', '/Docs', to('/dav/Alone', { depth: '0' }))).status, 201);
    assert.deepEqual(await list('/Alone'), ['/dav/Alone/']);
    assert.equal((await dav('COPY', '/Docs', to('/dav/Docs/In/Docs'))).status, 403);
    const into = await dav('COPY', '/Docs', to('/dav/Docs/In/Docs', { depth: '0' }));
    assert.equal(into.status, 201);
    assert.equal((await dav('COPY', '/Docs', to('/dav/Other', { depth: '1' }))).status, 400);
  });

  it('replaces what is at the destination only if it may, and keeps that in the trash', async () => {
    const { owner, dav, put, textAt } = await stage();
    await put('/a.txt', 'a');
    await put('/b.txt', 'b');

    assert.equal((await dav('COPY', '/a.txt', to('/dav/b.txt', { overwrite: 'F' }))).status, 412);
    assert.equal(await textAt('/b.txt'), 'b');
    assert.equal((await dav('COPY', '/a.txt', to('/dav/b.txt'))).status, 204);
    assert.equal(await textAt('/b.txt'), 'a');
    assert.equal((await owner.get('/cogs/trash')).body[0].name, 'b.txt');
    assert.equal((await dav('COPY', '/a.txt', to('/dav/a.txt'))).status, 403);
    assert.equal((await dav('COPY', '/a.txt', to('/dav/None/a.txt'))).status, 409);
    assert.equal((await dav('COPY', '/none', to('/dav/c.txt'))).status, 404);
    assert.equal((await dav('COPY', '/', to('/dav/c'))).status, 403);
  });
});
