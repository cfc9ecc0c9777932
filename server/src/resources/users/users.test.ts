import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast, client, person } from '../../../test/cast.ts';
import { heldUp } from '../../../test/races.ts';
import type { TestServer } from '../../../test/server.ts';
import { signIn, signOut, userWithPassword } from '../../../test/sign-in.ts';

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

  it('tells admins alone when somebody was active last', async () => {
    const { admin, owner, viewer, server } = await cast();
    const { body: key } = await owner.post('/api-keys/', { description: 'x' });
    await client(server.url).get('/me', { headers: { 'x-api-key': key.access_key } });
    const person = await userWithPassword(server, admin.user.tenant_id);
    const session = await signIn(server, person.email, person.password);
    const gone = await userWithPassword(server, admin.user.tenant_id);
    await signOut(server, await signIn(server, gone.email, gone.password));
    await server.services.db`delete from sign_in_sessions where user_id = ${gone.id}`;

    const { body } = await admin.get('/users/');

    const seenOf = (id: number) =>
      body.find((user: { id: number }) => user.id === id).last_active_at;
    for (const id of [owner.user.id, person.id, gone.id]) {
      assert.ok(Math.abs(Date.parse(seenOf(id)) - Date.now()) < 60_000, String(id));
    }
    assert.equal(seenOf(viewer.user.id), undefined);
    const { body: seenByMember } = await client(server.url, session.access_token).get('/users/');
    assert.ok(seenByMember.every((user: object) => !('last_active_at' in user)));
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

  it('never leaves a tenant without an active admin, on whatever way', async () => {
    const { admin, viewer, server } = await cast();
    const path = `/users/${admin.user.id}`;
    // Neither somebody who is awaited nor somebody who is disabled is in charge.
    await admin.post('/invitations/', { email: 'next-admin@example.test', role: 'admin' });
    const gone = await person(server, admin.user.tenant_id, 'gone', 'admin');
    await admin.patch(`/users/${gone.user.id}`, { status: 'disabled' });

    for (const answer of [
      await admin.patch(path, { role: 'member' }),
      await admin.patch(path, { status: 'disabled' }),
      await admin.patch(path, { role: 'member', status: 'disabled' }),
      await admin.patch(path, { status: 'disabled', successor_id: viewer.user.id }),
      await admin.post('/me/leave'),
    ]) {
      assert.deepEqual([answer.status, answer.body.code], [409, 'last_admin']);
    }
    const removed = await admin.delete(path);
    assert.deepEqual([removed.status, removed.body.code], [409, 'not_disabled']);
    assert.equal((await admin.patch(path, {})).body.role, 'admin');
  });

  it('refuses an admin who was disabled while the request waited for another', async () => {
    const { admin, viewer, server } = await cast();
    const { tenant_id } = admin.user;
    const second = await person(server, tenant_id, 'second', 'admin');

    const { status } = await heldUp(
      server.services.db,
      async (tx) => {
        await tx`select from tenants where id = ${tenant_id} for no key update`;
        await tx`update users set status = 'disabled' where id = ${second.user.id}`;
      },
      () => second.patch(`/users/${viewer.user.id}`, { role: 'admin' }),
      undefined,
      { keeps: true },
    );

    assert.equal(status, 403);
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

describe('the last platform admin', () => {
  it('can be neither disabled nor leave, whatever other admins the tenant has', async () => {
    const { admin, stranger, server } = await cast();
    const second = await person(server, admin.user.tenant_id, 'second', 'admin');
    await platformAdmins(server, [admin]);
    const disabling = () => second.patch(`/users/${admin.user.id}`, { status: 'disabled' });

    for (const { status, body } of [await disabling(), await admin.post('/me/leave')]) {
      assert.deepEqual([status, body.code], [409, 'last_platform_admin']);
    }
    await platformAdmins(server, [admin, stranger]);
    assert.equal((await disabling()).status, 200);
  });

  it('is left when two of different tenants leave at once', async () => {
    const { admin, stranger, server } = await cast();
    for (const { user } of [admin, stranger]) {
      await person(server, user.tenant_id, 'second', 'admin');
    }
    await platformAdmins(server, [admin, stranger]);

    const answers = await Promise.all([admin.post('/me/leave'), stranger.post('/me/leave')]);

    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
  });
});

describe('POST /me/leave', () => {
  it('disables my account at once, and only an admin lets me back', async () => {
    const { admin, owner } = await cast();

    assert.equal((await owner.post('/me/leave')).status, 204);

    assert.equal((await owner.get('/me')).status, 401);
    const { body } = await admin.patch(`/users/${owner.user.id}`, { status: 'active' });
    assert.equal(body.status, 'active');
    assert.equal((await owner.get('/me')).status, 200);
  });

  it('is refused to the last admin, also with an open invitation of another', async () => {
    const { admin, server } = await cast();
    const second = await person(server, admin.user.tenant_id, 'second', 'admin');
    await admin.post('/invitations/', { email: 'third@example.test', role: 'admin' });

    assert.equal((await second.post('/me/leave')).status, 204);
    const { status, body } = await admin.post('/me/leave');

    assert.deepEqual([status, body.code], [409, 'last_admin']);
  });

  it('is refused to an API key', async () => {
    const { owner, server } = await cast();
    const { body: key } = await owner.post('/api-keys/', { description: 'x' });
    const headers = { 'x-api-key': key.access_key };

    const { status } = await client(server.url).post('/me/leave', undefined, { headers });

    assert.equal(status, 403);
    assert.equal((await owner.get('/me')).status, 200);
  });
});

/** These, and nobody else. */
const platformAdmins = (server: TestServer, people: Client[]) => server.services.db`
  update users set is_platform_admin = id = any(${people.map(({ user }) => user.id)})
`;

const byNumber = (a: number, b: number) => a - b;
