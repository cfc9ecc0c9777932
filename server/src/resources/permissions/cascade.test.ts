import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { folder, share } from '../../../test/sharing.ts';

const soon = () => new Date(Date.now() + 3_600_000).toISOString();

describe('the cascade', () => {
  it('lets a folder grant reach everything inside, and a nearer grant decide as a whole', async () => {
    const { owner, viewer } = await cast();
    const docs = await folder(owner, 'Docs');
    const inner = await folder(owner, 'Inner', docs.id);
    const [one, two] = [
      (await owner.upload('one', 'x', inner.id)).body,
      (await owner.upload('two', 'x', inner.id)).body,
    ];
    await share(owner, docs.id, viewer, 'editor', { can_delete: true });
    await share(owner, one.id, viewer, 'viewer');

    assert.equal((await viewer.patch(`/cogs/${two.id}`, { name: 'three' })).status, 200);
    assert.equal((await viewer.patch(`/cogs/${one.id}`, { name: 'four' })).status, 403);
    assert.equal((await viewer.delete(`/cogs/${one.id}`)).status, 403);
    assert.equal((await viewer.delete(`/cogs/${two.id}`)).status, 204);
  });

  it('falls back to the next grant above when the nearest has expired', async () => {
    const { owner, viewer, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const file = (await owner.upload('a', 'x', docs.id)).body;
    await share(owner, docs.id, viewer, 'viewer');
    const direct = await share(owner, file.id, viewer, 'editor', { expires_at: soon() });
    assert.equal((await viewer.get(`/cogs/${file.id}`)).body.access.level, 'editor');

    await server.services.db`
      update permissions set expires_at = now() where id = ${direct.body.permission_id}
    `;

    assert.equal((await viewer.get(`/cogs/${file.id}`)).body.access.level, 'viewer');
  });

  it('lets can_upload on a viewer add to a folder and change only what is their own', async () => {
    const { owner, viewer } = await cast();
    const docs = await folder(owner, 'Docs');
    const theirs = (await owner.upload('theirs', 'x', docs.id)).body;
    await share(owner, docs.id, viewer, 'viewer', { can_upload: true });

    const mine = await viewer.upload('mine', 'x', docs.id);

    assert.equal(mine.status, 201);
    assert.equal(mine.body.access.level, 'owner');
    assert.equal((await viewer.patch(`/cogs/${mine.body.id}`, { name: 'm' })).status, 200);
    assert.equal((await viewer.patch(`/cogs/${theirs.id}`, { name: 't' })).status, 403);
  });

  it('gives the tenant admin everything, whatever a grant says', async () => {
    const { owner, admin } = await cast();
    const docs = await folder(owner, 'Docs');
    await share(owner, docs.id, admin, 'viewer');

    assert.equal((await admin.get(`/cogs/${docs.id}`)).body.access.level, 'owner');
    assert.equal((await admin.patch(`/cogs/${docs.id}`, { name: 'D' })).status, 200);
  });
});
