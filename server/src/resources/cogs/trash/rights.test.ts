import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { folder, ownGrant, share } from '../../../../test/sharing.ts';

const { admin, owner, editor, viewer } = await cast();

const file = async (who: Client, name: string, parent?: number) =>
  (await who.upload(name, name, parent)).body;
const restore = (who: Client, id: number, body?: unknown) => who.post(`/cogs/${id}/restore`, body);
const grantsOn = async (id: number) =>
  (await admin.get(`/permissions/cogs/${id}`)).body as { user_id: number; level: string }[];
const revoke = async (by: Client, id: number, whose: Client) =>
  by.delete(`/permissions/${(await ownGrant(by, id, whose)).permission_id}`);
const isInTrash = async (who: Client, id: number) =>
  (await who.get('/cogs/trash?limit=1000')).body.some((row: { id: number }) => row.id === id);

describe('restoring, and rights', () => {
  it('gives the owner back what they had, and nobody else anything', async () => {
    const { id } = await file(owner, 'mine alone');
    await share(owner, id, editor, 'editor');
    await share(owner, id, viewer, 'viewer');
    await owner.delete(`/cogs/${id}`);

    const { body } = await restore(owner, id);

    assert.equal(body.access.level, 'owner');
    assert.deepEqual(
      (await grantsOn(id)).map(({ user_id, level }) => ({ user_id, level })),
      [{ user_id: owner.user.id, level: 'owner' }],
    );
    assert.equal((await editor.get(`/cogs/${id}`)).status, 403);
  });

  it('does not make somebody owner again whose ownership was revoked', async () => {
    const { id } = await file(owner, 'handed over');
    await share(owner, id, editor, 'owner');
    await revoke(editor, id, owner);
    await editor.delete(`/cogs/${id}`);

    assert.equal(await isInTrash(owner, id), false);
    assert.equal((await restore(owner, id)).status, 404);
    assert.equal((await owner.delete(`/cogs/${id}?permanent=true`)).status, 404);

    assert.equal((await restore(editor, id)).body.access.level, 'owner');
    assert.equal((await owner.get(`/cogs/${id}`)).status, 403);
  });

  it('goes to the trash of its remaining owner when another deletes it', async () => {
    const { id } = await file(owner, 'of another');
    await share(owner, id, editor, 'owner');
    await revoke(editor, id, owner);
    await share(editor, id, viewer, 'viewer', { can_delete: true });
    await viewer.delete(`/cogs/${id}`);

    assert.equal(await isInTrash(editor, id), true);
    assert.equal((await restore(viewer, id)).status, 200);
    assert.equal((await editor.get(`/cogs/${id}`)).body.access.level, 'owner');
    assert.deepEqual(
      (await grantsOn(id)).map(({ user_id }) => user_id),
      [editor.user.id],
    );
  });

  it('does not bring back what was revoked on the folder meanwhile', async () => {
    const place = await folder(owner, 'lent');
    await share(owner, place.id, editor, 'owner');
    const { id } = await file(editor, 'made there', place.id);
    await editor.delete(`/cogs/${id}`);
    await revoke(owner, place.id, editor);

    assert.equal((await editor.delete(`/cogs/${id}?permanent=true`)).status, 403);
    const { status, body } = await restore(editor, id);

    assert.equal(status, 200);
    assert.equal(body.access, undefined);
    assert.equal((await editor.get(`/cogs/${id}`)).status, 403);
  });

  it('does not make an ownership last that ends', async () => {
    const { id } = await file(owner, 'ends on Friday');
    await share(owner, id, editor, 'owner');
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const own = await ownGrant(owner, id);
    await editor.patch(`/permissions/${own.permission_id}`, { expires_at });
    await owner.delete(`/cogs/${id}`);

    await restore(owner, id);

    assert.equal((await ownGrant(owner, id)).expires_at, expires_at);
    assert.equal((await ownGrant(owner, id, editor)).level, 'owner', 'a lasting owner is needed');
  });

  it('does not lift a restriction from whoever deletes and restores', async () => {
    const place = await folder(owner, 'open to the editor');
    await share(owner, place.id, editor, 'owner');
    const { id } = await file(owner, 'restricted', place.id);
    await share(owner, id, editor, 'viewer', { can_delete: true });
    await editor.delete(`/cogs/${id}`);

    const { body } = await restore(editor, id);

    assert.equal(body.access.level, 'viewer');
    assert.equal((await editor.get(`/cogs/${id}`)).body.access.level, 'viewer');
  });

  it('keeps of a restriction what the folder still gives', async () => {
    const place = await folder(owner, 'half open');
    await share(owner, place.id, editor, 'owner');
    const { id } = await file(owner, 'less', place.id);
    await share(owner, id, editor, 'editor', { can_delete: true });
    await owner.delete(`/cogs/${id}`);
    await share(owner, place.id, editor, 'viewer', { can_delete: true });

    await restore(owner, id);

    const { access } = (await editor.get(`/cogs/${id}`)).body;
    assert.equal(access.level, 'viewer');
    assert.equal(access.can_delete, true);
  });
});
