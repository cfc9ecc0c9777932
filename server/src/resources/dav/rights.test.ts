import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { type Dav, davClient, lockInfo } from '../../../test/dav.ts';
import { folder, share } from '../../../test/sharing.ts';
import { costOf } from '../../../test/statements.ts';

async function stage() {
  const people = await cast();
  const [owner, viewer, admin, stranger] = await Promise.all(
    [people.owner, people.viewer, people.admin, people.stranger].map((one) =>
      davClient(people.server, one),
    ),
  );
  return { people, owner, viewer, admin, stranger } as Record<
    'owner' | 'viewer' | 'admin' | 'stranger',
    Dav
  > & { people: typeof people };
}

const list = async (dav: Dav, path: string) =>
  (await dav('PROPFIND', path, { headers: { depth: '1' } })).addresses;

/** Every way to change something at a path. */
const changes = (path: string): [method: string, path: string, init: Parameters<Dav>[2]][] => [
  ['PUT', `${path}/a.txt`, { body: 'changed' }],
  ['PUT', `${path}/new.txt`, { body: 'new' }],
  ['MKCOL', `${path}/New`, {}],
  ['DELETE', `${path}/a.txt`, {}],
  ['DELETE', path, {}],
  ['MOVE', `${path}/a.txt`, { headers: { destination: `/dav${path}/b.txt` } }],
  ['MOVE', `${path}/a.txt`, { headers: { destination: '/dav/b.txt' } }],
  ['LOCK', `${path}/a.txt`, { body: lockInfo() }],
  ['LOCK', path, { body: lockInfo() }],
  [
    'PROPPATCH',
    `${path}/a.txt`,
    {
      body: '<propertyupdate xmlns="DAV:"><set><prop><x xmlns="y"/></prop></set></propertyupdate>',
    },
  ],
];

describe('over WebDAV a user', () => {
  it('finds nothing of another tenant', async () => {
    const { owner, stranger } = await stage();
    await owner('MKCOL', '/Docs');
    await owner('PUT', '/Docs/a.txt', { body: 'a' });

    assert.deepEqual(await list(stranger, '/'), ['/dav/']);
    assert.equal((await stranger('GET', '/Docs/a.txt')).status, 404);
    for (const [method, path, init] of changes('/Docs')) {
      // In the stranger's own root, where nothing has this name, the lock makes a file.
      if (method === 'LOCK' && path === '/Docs') continue;
      const { status } = await stranger(method, path, init);
      assert.ok([404, 409].includes(status), `${method} ${path}: ${status}`);
    }
    assert.equal((await owner('GET', '/Docs/a.txt')).text, 'a');
  });

  it('finds nothing that is hidden from them, as if it did not exist', async () => {
    const { owner, viewer } = await stage();
    await owner('MKCOL', '/Docs');
    await owner('PUT', '/Docs/a.txt', { body: 'a' });

    assert.deepEqual(await list(viewer, '/'), ['/dav/', '/dav/Shared%20with%20me/']);
    for (const path of ['/Docs', '/Docs/a.txt', '/None', '/None/a.txt']) {
      assert.equal((await viewer('GET', path)).status, 404, path);
      assert.equal((await viewer('PROPFIND', path, { headers: { depth: '0' } })).status, 404, path);
    }
  });

  it('who may only look changes nothing', async () => {
    const { people, owner, viewer } = await stage();
    const docs = await folder(people.owner, 'Docs');
    await owner('PUT', '/Docs/a.txt', { body: 'a' });
    await share(people.owner, docs.id, people.viewer, 'viewer');

    assert.deepEqual(await list(viewer, '/Docs'), ['/dav/Docs/', '/dav/Docs/a.txt']);
    for (const [method, path, init] of changes('/Docs')) {
      assert.equal((await viewer(method, path, init)).status, 403, `${method} ${path}`);
    }
    assert.deepEqual(await list(owner, '/Docs'), ['/dav/Docs/', '/dav/Docs/a.txt']);
    assert.equal((await owner('GET', '/Docs/a.txt')).text, 'a');
  });

  it('who may change but not delete cannot replace by moving', async () => {
    const { people, owner, viewer } = await stage();
    const docs = await folder(people.owner, 'Docs');
    await owner('PUT', '/Docs/a.txt', { body: 'a' });
    await owner('PUT', '/Docs/b.txt', { body: 'b' });
    await share(people.owner, docs.id, people.viewer, 'editor');
    const move = () =>
      viewer('MOVE', '/Docs/a.txt', { headers: { destination: '/dav/Docs/b.txt' } });

    assert.equal((await move()).status, 403);
    assert.equal((await viewer('DELETE', '/Docs/a.txt')).status, 403);
    assert.equal((await viewer('PUT', '/Docs/a.txt', { body: 'changed' })).status, 204);
    assert.equal((await owner('GET', '/Docs/b.txt')).text, 'b');
  });

  it('who may not see what has a name cannot take the name, nor replace it', async () => {
    const { owner, viewer } = await stage();
    await owner('PUT', '/a.txt', { body: 'a' });

    assert.equal((await viewer('PUT', '/a.txt', { body: 'mine' })).status, 409);
    assert.equal((await viewer('MKCOL', '/a.txt')).status, 409);
    assert.equal((await owner('GET', '/a.txt')).text, 'a');
  });
});

describe('the folder "Shared with me" over WebDAV', () => {
  const shared = '/Shared%20with%20me';

  async function withShared(level: string) {
    const all = await stage();
    const { people, owner } = all;
    const hidden = await folder(people.owner, 'Hidden');
    const deep = await folder(people.owner, 'Deep', hidden.id);
    await owner('PUT', '/Hidden/Deep/a.txt', { body: 'a' });
    await share(people.owner, deep.id, people.viewer, level);
    return { ...all, hidden, deep };
  }

  it('holds what is shared inside a hidden folder, and leads on from there', async () => {
    const { viewer } = await withShared('viewer');

    assert.deepEqual(await list(viewer, '/'), ['/dav/', `/dav${shared}/`]);
    assert.deepEqual(await list(viewer, shared), [`/dav${shared}/`, `/dav${shared}/Deep/`]);
    assert.deepEqual(await list(viewer, `${shared}/Deep`), [
      `/dav${shared}/Deep/`,
      `/dav${shared}/Deep/a.txt`,
    ]);
    assert.equal((await viewer('GET', `${shared}/Deep/a.txt`)).text, 'a');
    assert.equal((await viewer('GET', '/Hidden/Deep/a.txt')).status, 404);
    for (const [method, path, init] of changes(`${shared}/Deep`)) {
      assert.equal((await viewer(method, path, init)).status, 403, `${method} ${path}`);
    }
  });

  it('lets change what the caller may change, but nothing be put into itself', async () => {
    const { viewer, owner } = await withShared('editor');
    const to = (destination: string) => ({ headers: { destination } });

    assert.equal((await viewer('PUT', `${shared}/Deep/b.txt`, { body: 'b' })).status, 201);
    assert.equal((await owner('GET', '/Hidden/Deep/b.txt')).text, 'b');
    assert.equal((await viewer('PUT', `${shared}/c.txt`, { body: 'c' })).status, 403);
    assert.equal((await viewer('MKCOL', `${shared}/New`)).status, 403);
    assert.equal((await viewer('MKCOL', shared)).status, 405);
    assert.equal((await viewer('DELETE', shared)).status, 403);
    assert.equal((await viewer('LOCK', shared, { body: lockInfo() })).status, 403);
    const out = await viewer('MOVE', `${shared}/Deep/b.txt`, to(`/dav${shared}/b.txt`));
    assert.equal(out.status, 403);
    const renamed = await viewer('MOVE', `${shared}/Deep`, to(`/dav${shared}/Other`));
    assert.equal(renamed.status, 201);
    assert.equal((await owner('GET', '/Hidden/Other/a.txt')).text, 'a');
  });

  it('holds nothing that a folder shows already', async () => {
    const { people, viewer } = await withShared('viewer');
    const open = await folder(people.owner, 'Open');
    const inside = await folder(people.owner, 'Inside', open.id);
    for (const { id } of [open, inside]) await share(people.owner, id, people.viewer, 'viewer');

    assert.deepEqual(await list(viewer, '/'), ['/dav/', `/dav${shared}/`, '/dav/Open/']);
    assert.deepEqual(await list(viewer, shared), [`/dav${shared}/`, `/dav${shared}/Deep/`]);
  });

  it('tells apart what has one name in several folders', async () => {
    const { people, viewer, owner } = await withShared('viewer');
    const other = await folder(people.owner, 'Other hidden');
    const twin = await folder(people.owner, 'Deep', other.id);
    await owner('PUT', '/Other%20hidden/Deep/b.txt', { body: 'b' });
    await share(people.owner, twin.id, people.viewer, 'viewer');

    const second = `${shared}/${encodeURIComponent(`Deep (${twin.id})`)}`;
    assert.deepEqual(await list(viewer, shared), [
      `/dav${shared}/`,
      `/dav${shared}/Deep/`,
      `/dav${second}/`,
    ]);
    assert.equal((await viewer('GET', `${shared}/Deep/a.txt`)).text, 'a');
    assert.equal((await viewer('GET', `${second}/b.txt`)).text, 'b');
  });

  it('is not there for admins, who see everything in its place', async () => {
    const { admin } = await withShared('viewer');

    assert.deepEqual(await list(admin, '/'), ['/dav/', '/dav/Hidden/']);
    assert.equal((await admin('PROPFIND', shared, { headers: { depth: '0' } })).status, 404);
  });

  it('keeps its name: what really has it is not shown in its place', async () => {
    const { people, viewer } = await withShared('viewer');
    const real = await folder(people.admin, 'Shared with me');
    await share(people.admin, real.id, people.viewer, 'owner');

    assert.deepEqual(await list(viewer, '/'), ['/dav/', `/dav${shared}/`]);
    assert.deepEqual(await list(viewer, shared), [`/dav${shared}/`, `/dav${shared}/Deep/`]);
  });
});

describe('the cost of WebDAV', () => {
  it('is the same for a long path and a large folder', async () => {
    const { people, owner } = await stage();
    const { db } = people.server.services;
    let path = '';
    for (let level = 1; level <= 20; level += 1) {
      path += `/level-${level}`;
      await owner('MKCOL', path);
    }
    await owner('PUT', `${path}/a.txt`, { body: 'a' });
    await owner('PUT', '/a.txt', { body: 'a' });
    const [parent] = (await people.owner.get('/cogs/?name=level-1')).body;
    const cost = async (at: string, depth: string) => {
      const ask = () => owner('PROPFIND', at, { headers: { depth } });
      return (await costOf(people.server, ask)).statements;
    };

    const short = await cost('/a.txt', '0');
    assert.equal(await cost(`${path}/a.txt`, '0'), short);
    assert.ok(short <= 3, `${short} statements`);
    const small = await cost('/level-1', '1');
    await db`
      insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
      select ${people.owner.user.tenant_id}, ${parent.id}, 'folder ' || n, 'asset_folder',
             ${people.owner.user.id}
      from generate_series(1, 500) as n
    `;
    assert.equal(await cost('/level-1', '1'), small);
    assert.ok(small <= 7, `${small} statements`);
  });

  it('bounds no list: each member is told once, in pages', async () => {
    const { people, owner } = await stage();
    const docs = await folder(people.owner, 'Docs');
    await people.server.services.db`
      insert into cogs (tenant_id, parent_id, name, cog_type, owner_id)
      select ${people.owner.user.tenant_id}, ${docs.id}, 'folder ' || n, 'asset_folder',
             ${people.owner.user.id}
      from generate_series(1, 2500) as n
    `;

    const addresses = await list(owner, '/Docs');
    assert.equal(addresses.length, 2501);
    assert.equal(new Set(addresses).size, 2501);
  });
});
