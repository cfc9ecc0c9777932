import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';
import { folderOfFiles } from '../../../../test/runs.ts';
import { folder, ownGrant, share } from '../../../../test/sharing.ts';

const { server, admin, owner, editor, viewer, stranger } = await cast();

const file = async (who: Client, name: string, parent?: number) =>
  (await who.upload(name, name, parent)).body;
const transfer = (by: Client, id: number, to: Client, extra = {}) =>
  by.post(`/cogs/${id}/transfer`, { user_id: to.user.id, ...extra });
const levelOf = async (who: Client, id: number) =>
  (await who.get(`/cogs/${id}`)).body.access?.level;

describe('handing a cog over', () => {
  it('makes the other its owner, and keeps all grants', async () => {
    const { id } = await file(owner, 'handed over');
    await share(owner, id, viewer, 'viewer');

    const { status, body } = await transfer(owner, id, editor);

    assert.equal(status, 200);
    assert.equal(body.owner_id, editor.user.id);
    assert.equal((await ownGrant(editor, id)).level, 'owner');
    assert.equal(await levelOf(owner, id), 'owner');
    assert.equal(await levelOf(viewer, id), 'viewer');
    const [event] = (await admin.get('/audit-events?action=cog.transferred&limit=1')).body;
    assert.equal(event.target_id, String(id));
    assert.equal(event.details.from, owner.user.id);
    assert.equal(event.details.to, editor.user.id);
  });

  it('leaves its owner until now the access that is asked for', async () => {
    const { id } = await file(owner, 'kept as a viewer');
    assert.equal((await transfer(owner, id, editor, { keep_access: 'viewer' })).status, 200);
    assert.equal(await levelOf(owner, id), 'viewer');

    const other = await file(owner, 'kept as nothing');
    const { status, body } = await transfer(owner, other.id, editor, { keep_access: 'none' });
    assert.equal(status, 200);
    assert.equal(body.access, undefined);
    assert.equal((await owner.get(`/cogs/${other.id}`)).status, 403);
    assert.equal(await levelOf(editor, other.id), 'owner');
  });

  it('decides whose trash it lands in', async () => {
    const { id } = await file(owner, 'to the trash');
    await transfer(owner, id, editor, { keep_access: 'editor' });
    await editor.delete(`/cogs/${id}`);

    assert.equal((await owner.post(`/cogs/${id}/restore`)).status, 404);
    assert.equal((await editor.post(`/cogs/${id}/restore`)).status, 200);
    assert.equal((await owner.get(`/cogs/${id}`)).status, 403);
  });

  it('is for its owner and admins, not for other owners by a grant', async () => {
    const { id } = await file(owner, 'not yours');
    await share(owner, id, editor, 'owner');
    await share(owner, id, viewer, 'viewer');

    assert.equal((await transfer(editor, id, editor)).status, 403);
    assert.equal((await transfer(viewer, id, viewer)).status, 403);
    assert.equal((await transfer(stranger, id, stranger)).status, 404);
    assert.equal((await transfer(owner, id, stranger)).status, 404);
    assert.equal((await transfer(admin, id, viewer, { keep_access: 'editor' })).status, 200);
    assert.equal(await levelOf(viewer, id), 'owner');
    assert.equal(await levelOf(owner, id), 'editor');
    const { body: root } = await admin.get('/cogs/root');
    assert.equal((await transfer(admin, root.id, viewer)).body.code, 'root_folder');
  });

  it('passes to another owner once its own no longer owns it', async () => {
    const { id } = await file(owner, 'revoked');
    await share(owner, id, editor, 'owner');
    await editor.delete(`/permissions/${(await ownGrant(editor, id, owner)).permission_id}`);

    assert.equal((await transfer(owner, id, viewer)).status, 403);
    assert.equal((await transfer(editor, id, viewer)).body.owner_id, viewer.user.id);
    assert.equal((await owner.get(`/cogs/${id}`)).status, 403);
  });

  it('never leaves it without an owner, and lasts no longer than the right to do it', async () => {
    const { id } = await file(owner, 'needs an owner');
    const refused = await transfer(owner, id, admin, { keep_access: 'editor' });
    assert.equal(refused.body.code, 'last_owner');
    assert.equal((await owner.get(`/cogs/${id}`)).body.owner_id, owner.user.id);

    await share(owner, id, editor, 'owner');
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { permission_id } = await ownGrant(owner, id);
    await editor.patch(`/permissions/${permission_id}`, { expires_at });
    const { status, body } = await transfer(owner, id, viewer);
    assert.equal(status, 422);
    assert.deepEqual(body.detail[0].loc, ['body', 'user_id']);
  });

  it('of a folder can take along what in it has the same owner', async () => {
    const top = await folder(owner, 'top');
    await share(owner, top.id, editor, 'editor');
    const inner = await folder(owner, 'inner', top.id);
    const mine = await file(owner, 'mine', inner.id);
    const theirs = await file(editor, 'theirs', top.id);

    await transfer(owner, top.id, viewer);
    assert.equal((await owner.get(`/cogs/${mine.id}`)).body.owner_id, owner.user.id);
    await transfer(viewer, top.id, owner, { keep_access: 'none' });
    const { status } = await transfer(owner, top.id, viewer, {
      keep_access: 'none',
      recursive: true,
    });

    assert.equal(status, 200);
    assert.equal((await viewer.get(`/cogs/${mine.id}`)).body.owner_id, viewer.user.id);
    assert.equal((await viewer.get(`/cogs/${inner.id}`)).body.owner_id, viewer.user.id);
    assert.equal((await viewer.get(`/cogs/${theirs.id}`)).body.owner_id, editor.user.id);
    assert.equal((await owner.get(`/cogs/${mine.id}`)).status, 403);
    const [event] = (await admin.get('/audit-events?action=cog.transferred&limit=1')).body;
    assert.equal(event.details.count_below, 2);
  });

  it('takes along owner grants inside, also where the new owner had less', async () => {
    const place = await folder(editor, 'of the editor');
    await share(editor, place.id, owner, 'editor');
    const top = await folder(owner, 'mine in it', place.id);
    const inner = await folder(owner, 'inner', top.id);
    await share(owner, inner.id, owner, 'owner');
    await share(owner, inner.id, viewer, 'viewer');

    await transfer(owner, top.id, viewer, { keep_access: 'viewer', recursive: true });

    assert.equal(await levelOf(viewer, inner.id), 'owner');
    assert.equal(await levelOf(owner, inner.id), 'viewer');
  });

  it('is refused where the giver does not own all that is inside', async () => {
    const top = await folder(owner, 'restricted inside');
    const closed = await folder(owner, 'closed', top.id);
    const deep = await folder(owner, 'deep', closed.id);
    await share(owner, deep.id, viewer, 'viewer');
    await share(admin, top.id, viewer, 'owner');
    await share(admin, closed.id, editor, 'owner');
    await share(admin, closed.id, owner, 'viewer');

    const { status } = await transfer(owner, top.id, viewer, { recursive: true });

    assert.equal(status, 403);
    assert.equal(await levelOf(viewer, deep.id), 'viewer');
  });

  it('of a folder leaves nothing inside without an owner', async () => {
    const top = await folder(owner, 'all of it');
    const inner = await folder(owner, 'inner', top.id);
    await share(owner, inner.id, viewer, 'viewer');

    await transfer(owner, top.id, viewer, { keep_access: 'none', recursive: true });

    assert.equal(await levelOf(viewer, inner.id), 'owner');
    assert.equal(await levelOf(owner, inner.id), undefined);
  });

  it('with its contents has a limit', async () => {
    const large = await folderOfFiles(server, owner, 10_001);

    const { status, body } = await transfer(owner, large, editor, { recursive: true });

    assert.equal(status, 409);
    assert.equal(body.code, 'too_many_items');
    assert.equal((await owner.get(`/cogs/${large}`)).body.owner_id, owner.user.id);
  });

  it('to two users at once ends with one of them', async () => {
    const { id } = await file(owner, 'raced');

    const answers = await Promise.all([
      transfer(owner, id, editor, { keep_access: 'none' }),
      transfer(owner, id, viewer, { keep_access: 'none' }),
    ]);

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403]);
  });
});
