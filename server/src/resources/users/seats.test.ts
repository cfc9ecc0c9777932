import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cast, cast, client } from '../../../test/cast.ts';
import { changeTenantSettings } from './users.ts';

describe('the seats of a tenant', () => {
  it('are taken by active users and open invitations, and one more is refused', async () => {
    const stage = await seats(5);
    assert.equal((await invite(stage)).status, 201);

    const { status, body } = await invite(stage);

    assert.equal(status, 403);
    const { detail, ...rest } = body;
    assert.match(detail, /All 5 seats/);
    assert.deepEqual(rest, {
      code: 'quota_exceeded',
      quota: 'seats',
      limit: 5,
      used: 5,
      requested: 1,
    });
    const { body: told } = await stage.viewer.get('/subscriptions');
    assert.deepEqual([told.seats_used, told.seats_limit], [5, 5]);
  });

  it('are free again when an invitation expires, is taken back, or a user is disabled', async () => {
    const stage = await seats(5);
    const { admin, viewer, server } = stage;
    const first = (await invite(stage)).body;
    await server.services.db`update invitations set expires_at = now() where id = ${first.id}`;
    const second = await invite(stage);
    assert.equal(second.status, 201);
    await admin.delete(`/invitations/${second.body.id}`);
    assert.equal((await invite(stage)).status, 201);
    await admin.patch(`/users/${viewer.user.id}`, { status: 'disabled' });
    assert.equal((await invite(stage)).status, 201);

    const { status, body } = await admin.patch(`/users/${viewer.user.id}`, { status: 'active' });

    assert.deepEqual([status, body.code], [403, 'quota_exceeded']);
    const changed = await admin.patch(`/users/${viewer.user.id}`, { role: 'member' });
    assert.equal(changed.status, 200);
  });

  it('are not taken twice by two invitations of one address, or by accepting one', async () => {
    const stage = await seats(5);
    const email = 'twice@example.test';
    await stage.admin.post('/invitations/', { email, role: 'member' });

    const { status, body } = await stage.admin.post('/invitations/', { email, role: 'admin' });

    assert.equal(status, 201);
    const token = body.link.slice(body.link.indexOf('#') + 1);
    const accepted = await client(stage.server.url).post('/invitations/accept', {
      token,
      password: 'a fine long password',
    });
    assert.equal(accepted.status, 201);
    assert.equal((await stage.admin.get('/subscriptions')).body.seats_used, 5);
  });

  it('are never exceeded by invitations at the same time', async () => {
    const stage = await seats(6);

    const answers = await Promise.all(Array.from({ length: 8 }, () => invite(stage)));

    assert.equal(answers.filter(({ status }) => status === 201).length, 2);
  });

  it('are kept by those who have them when the limit is lowered', async () => {
    const stage = await seats(5);
    const { body } = await invite(stage);
    await limit(stage, 1);

    const token = body.link.slice(body.link.indexOf('#') + 1);
    const { status } = await client(stage.server.url).post('/invitations/accept', {
      token,
      password: 'a fine long password',
    });

    assert.equal(status, 201);
    assert.equal((await stage.viewer.get('/me')).status, 200);
  });
});

/** A tenant with four people. */
async function seats(most: number): Promise<Cast> {
  const stage = await cast();
  await limit(stage, most);
  return stage;
}

const limit = ({ server, admin }: Cast, seats_limit: number) =>
  changeTenantSettings(server.services.db, admin.user.tenant_id, { seats_limit });

const invite = ({ admin }: Cast) =>
  admin.post('/invitations/', {
    email: `${crypto.randomUUID()}@example.test`,
    role: 'member',
  });
