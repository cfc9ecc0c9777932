import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, client, person } from '../../../test/cast.ts';

describe('GET /users/', () => {
  it('lists the people of the tenant and nobody else, to each of them', async () => {
    const { admin, owner, editor, viewer } = await cast();

    const { status, body } = await viewer.get('/users/');

    assert.equal(status, 200);
    assert.deepEqual(
      body.map((user: { id: number }) => user.id).sort(byNumber),
      [admin, owner, editor, viewer].map(({ user }) => user.id).sort(byNumber),
    );
    const me = body.find((user: { id: number }) => user.id === viewer.user.id);
    assert.deepEqual(me, {
      id: viewer.user.id,
      email: viewer.user.email,
      first_name: 'viewer',
      last_name: '',
      role: 'member',
      status: 'active',
    });
  });

  it('pages, and counts', async () => {
    const { owner } = await cast();

    const first = await owner.get('/users/?limit=3&with_total=true');

    assert.equal(first.body.length, 3);
    assert.equal(first.headers.get('x-total-count'), '4');
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const rest = await owner.get(next.slice(next.indexOf('/users')));
    assert.equal(rest.body.length, 1);
  });
});

describe('GET /users/?q=', () => {
  it('finds people by part of their name or address, in any case', async () => {
    const { owner, viewer } = await cast();
    const found = async (q: string) => {
      const { body, headers } = await owner.get(
        `/users/?with_total=true&q=${encodeURIComponent(q)}`,
      );
      assert.equal(headers.get('x-total-count'), String(body.length));
      return body.map((user: { id: number }) => user.id);
    };

    assert.deepEqual(await found('VIEW'), [viewer.user.id]);
    assert.deepEqual(await found(viewer.user.email.slice(3)), [viewer.user.id]);
    assert.deepEqual(await found('%'), []);
    assert.equal((await found('')).length, 4);
  });
});

describe('PATCH /users/:id', () => {
  it('is for admins; users of other tenants do not exist', async () => {
    const { admin, owner, editor, stranger } = await cast();
    const path = `/users/${editor.user.id}`;

    assert.equal((await owner.patch(path, { role: 'admin' })).status, 403);
    assert.equal((await stranger.patch(path, { role: 'admin' })).status, 404);
    assert.equal((await admin.patch(path, { role: 'king' })).status, 422);
    const { body } = await admin.patch(path, { role: 'admin' });
    assert.equal(body.role, 'admin');
    assert.equal((await editor.get('/me')).body.role, 'admin');
  });

  it('stops a disabled user at once, and lets them back', async () => {
    const { admin, owner, server } = await cast();
    const { body: key } = await owner.post('/api-keys/', { description: 'x' });
    const withKey = () =>
      client(server.url).get('/me', { headers: { 'x-api-key': key.access_key } });
    assert.equal((await withKey()).status, 200);

    await admin.patch(`/users/${owner.user.id}`, { status: 'disabled' });

    assert.equal((await owner.get('/me')).status, 401);
    assert.equal((await withKey()).status, 401);
    await admin.patch(`/users/${owner.user.id}`, { status: 'active' });
    assert.equal((await owner.get('/me')).status, 200);
  });

  it('never leaves a tenant without an active admin', async () => {
    const { admin } = await cast();
    const path = `/users/${admin.user.id}`;

    for (const changes of [{ role: 'member' }, { status: 'disabled' }]) {
      const { status, body } = await admin.patch(path, changes);
      assert.deepEqual([status, body.code], [409, 'last_admin']);
    }
    assert.equal((await admin.patch(path, {})).status, 200);
  });

  it('keeps one of two admins who demote each other at once', async () => {
    const { admin, server } = await cast();
    const second = await person(server, admin.user.tenant_id, 'second', 'admin');

    const answers = await Promise.all([
      admin.patch(`/users/${second.user.id}`, { role: 'member' }),
      second.patch(`/users/${admin.user.id}`, { role: 'member' }),
    ]);

    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });
});

const byNumber = (a: number, b: number) => a - b;
