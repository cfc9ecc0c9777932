import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, client } from '../../../test/cast.ts';
import { signIn, userWithPassword } from '../../../test/sign-in.ts';

const password = 'correct horse battery';

describe('DELETE /users/:id', () => {
  it('frees the address of a disabled user, who can be invited again as somebody new', async () => {
    const { admin, viewer, server } = await cast();
    const person = await userWithPassword(server, admin.user.tenant_id, { password });
    await admin.patch(`/users/${person.id}`, { status: 'disabled' });

    assert.equal((await admin.delete(`/users/${person.id}`)).status, 204);

    await assert.rejects(signIn(server, person.email, password), /refused/);
    const { status, body: invited } = await admin.post('/invitations/', {
      ...{ email: person.email, role: 'member' },
    });
    assert.equal(status, 201, JSON.stringify(invited));
    const token = invited.link.slice(invited.link.indexOf('#') + 1);
    const { body: joined } = await client(server.url).post('/invitations/accept', {
      ...{ token, password },
    });
    assert.notEqual(joined.id, person.id);
    const { access_token } = await signIn(server, person.email, password);
    assert.equal((await client(server.url, access_token).get('/me')).body.id, joined.id);
    const ids = async (query: string) =>
      (await viewer.get(`/users/?${query}`)).body.map((user: { id: number }) => user.id);
    assert.ok(!(await ids('')).includes(person.id));
    assert.ok((await ids('include_removed=true')).includes(person.id));
    const [event] = (await admin.get('/audit-events/?action=user.removed')).body;
    assert.deepEqual([event.target_id, event.details.email], [String(person.id), person.email]);
  });

  it('keeps what they own, under their name, and lets nothing else happen to them', async () => {
    const { admin, owner, viewer } = await cast();
    const { id } = (await owner.upload('notes.txt', 'x')).body;
    const path = `/users/${owner.user.id}`;
    await admin.patch(path, { status: 'disabled' });
    await admin.delete(path);

    assert.equal((await admin.get(`/cogs/${id}`)).body.owner_id, owner.user.id);
    const { body: all } = await viewer.get('/users/?include_removed=true&q=owner');
    const [removed] = all.filter((user: { id: number }) => user.id === owner.user.id);
    assert.deepEqual([removed.first_name, removed.status], ['owner', 'disabled']);
    assert.ok(removed.removed_at);
    for (const changes of [{ status: 'active' }, { successor_id: admin.user.id }]) {
      assert.equal((await admin.patch(path, changes)).status, 404);
    }
    assert.equal((await admin.get(`${path}/disable-preview`)).status, 404);
    assert.equal((await admin.delete(path)).status, 404);
  });

  it('is for admins, and for those who are disabled', async () => {
    const { admin, owner, viewer, stranger } = await cast();
    const path = `/users/${viewer.user.id}`;

    const { status, body } = await admin.delete(path);
    assert.deepEqual([status, body.code], [409, 'not_disabled']);
    assert.equal((await owner.delete(path)).status, 403);
    assert.equal((await stranger.delete(path)).status, 404);
    assert.equal((await viewer.get('/me')).status, 200);
  });
});
