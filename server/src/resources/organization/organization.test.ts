import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';

describe('my organization', () => {
  it('has a name that all its people see and its admins change', async () => {
    const { admin, viewer, stranger } = await cast();
    const { tenant_id: id } = admin.user;

    const { status, body } = await admin.patch('/organization', { name: ' Acme & Sons ' });

    assert.deepEqual([status, body], [200, { id, name: 'Acme & Sons' }]);
    assert.deepEqual((await viewer.get('/organization')).body, { id, name: 'Acme & Sons' });
    assert.notEqual((await stranger.get('/organization')).body.id, id);
    const [event] = (await admin.get('/audit-events/?action=tenant.')).body;
    assert.deepEqual(
      [event.action, event.actor_id, event.target_id, event.details],
      ['tenant.changed', admin.user.id, String(id), { name: 'Acme & Sons' }],
    );
  });

  it('is renamed neither by members nor to nothing', async () => {
    const { admin, owner } = await cast();
    const { body: before } = await admin.get('/organization');

    assert.equal((await owner.patch('/organization', { name: 'Mine' })).status, 403);
    for (const name of ['', '  ', 'x'.repeat(201), 'a\0b']) {
      assert.equal((await admin.patch('/organization', { name })).status, 422, name);
    }

    assert.deepEqual((await owner.get('/organization')).body, before);
  });
});
