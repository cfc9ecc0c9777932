import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast } from '../../../../test/cast.ts';

const folder = async (by: Client, name: string, parent_id?: number): Promise<number> => {
  const parent = parent_id === undefined ? {} : { parent_id };
  const { status, body } = await by.post('/cogs/', { name, cog_type: 'asset_folder', ...parent });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
};

const share = (by: Client, id: number, to: Client, level: string, extra = {}) =>
  by.post(`/permissions/cogs/${id}`, {
    target_type: 'cog',
    target_id: id,
    user_id: to.user.id,
    level,
    ...extra,
  });

const move = (by: Client, id: number, parent_id: number) => by.patch(`/cogs/${id}`, { parent_id });

const levelOf = async (who: Client, id: number) =>
  (await who.get(`/cogs/${id}`)).body.access?.level;

const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** The owner's folder with a file and a folder in it, and a folder of the editor's. */
async function places() {
  const people = await cast();
  const { owner, editor } = people;
  const shared = await folder(owner, 'Shared');
  const inner = await folder(owner, 'Inner', shared);
  const file = (await owner.upload('a.txt', 'x', shared)).body.id;
  return { ...people, shared, inner, file, own: await folder(editor, 'Own') };
}

describe('moving out of a shared folder', () => {
  it('is a removal, which an editor may not do to a file or folder', async () => {
    const { owner, editor, shared, inner, file, own } = await places();
    await share(owner, shared, editor, 'editor');

    for (const id of [file, inner]) {
      assert.equal((await move(editor, id, own)).status, 403);
      assert.equal(await levelOf(owner, id), 'owner');
    }
    assert.equal(
      (await move(editor, file, inner)).status,
      200,
      'inside the shared folder it is none',
    );
  });

  it('leaves its owners owners, and the mover with what they had', async () => {
    const { owner, viewer, editor, shared, inner, file, own } = await places();
    await share(owner, shared, editor, 'editor', { can_delete: true });
    await share(owner, shared, viewer, 'owner');

    for (const id of [file, inner]) {
      const { status, body } = await move(editor, id, own);
      assert.equal(status, 200);
      assert.deepEqual(body.access, {
        level: 'editor',
        can_upload: true,
        can_share: false,
        can_delete: true,
      });
      assert.equal(await levelOf(owner, id), 'owner');
      assert.equal(await levelOf(viewer, id), 'owner');
      assert.equal((await share(editor, id, editor, 'owner')).status, 403);
    }
    const below = await folder(editor, 'Below', inner);
    assert.equal((await move(owner, file, below)).status, 200, 'the owner still moves it');
  });

  it('keeps the mover out of what they could only see below', async () => {
    const { owner, editor, shared, inner, own } = await places();
    const secret = (await owner.upload('secret', 'x', inner)).body.id;
    await share(owner, shared, editor, 'editor', { can_delete: true });
    await share(owner, secret, editor, 'viewer', { can_delete: true });

    assert.equal((await move(editor, inner, own)).status, 200);

    assert.equal(await levelOf(editor, secret), 'viewer');
    assert.equal((await editor.patch(`/cogs/${secret}`, { name: 'x' })).status, 403);
  });

  it('shows it to the mover still where only others could see it', async () => {
    const { owner, editor, shared, file } = await places();
    await share(owner, shared, editor, 'editor', { can_delete: true });
    const { body: root } = await editor.get('/cogs/root');

    const { status, body } = await move(editor, file, root.id);

    assert.deepEqual([status, body.access.level], [200, 'editor']);
  });

  it('by an expiring right is refused where the right would stay, and says when it ends', async () => {
    const { owner, editor, shared, file, own } = await places();
    const end = inOneHour();
    await share(owner, shared, editor, 'editor', { can_delete: true, expires_at: end });

    const { status, body } = await move(editor, file, own);

    assert.equal(status, 403);
    assert.ok(body.detail.includes(end), body.detail);
  });

  it('gives the owner of the other folder no more than the mover has', async () => {
    const { owner, editor, viewer, shared, file } = await places();
    const theirs = await folder(viewer, 'Theirs');
    await share(viewer, theirs, editor, 'editor');
    await share(owner, shared, editor, 'editor', { can_delete: true });

    assert.equal((await move(editor, file, theirs)).status, 200);

    assert.equal(await levelOf(viewer, file), 'editor');
    assert.equal(await levelOf(owner, file), 'owner');
  });

  it('is told in the audit trail with both places', async () => {
    const { owner, admin, shared, file, own } = await places();
    const mine = await folder(owner, 'Mine');
    assert.equal((await move(owner, file, mine)).status, 200);
    assert.equal((await move(owner, file, own)).status, 403);

    const { body } = await admin.get('/audit-events/?action=cog.moved');

    assert.equal(body.length, 1);
    assert.equal(body[0].target_id, String(file));
    assert.deepEqual(body[0].details.from, {
      name: 'a.txt',
      parent_id: shared,
      parent_name: 'Shared',
    });
    assert.deepEqual(body[0].details.to, { name: 'a.txt', parent_id: mine, parent_name: 'Mine' });
  });
});

describe('moving what was shared by itself', () => {
  it('takes the grant along, and is a removal when somebody would not see it any more', async () => {
    const { owner, editor, viewer, shared, file, own } = await places();
    await share(owner, file, editor, 'editor');
    await share(owner, shared, viewer, 'viewer');
    assert.equal((await move(editor, file, own)).status, 403);
    await share(owner, file, viewer, 'viewer');

    const moved = await move(editor, file, own);

    assert.deepEqual([moved.status, moved.body.access.level], [200, 'editor']);
    assert.equal(await levelOf(owner, file), 'owner');
  });

  it('never lets it be deleted with a folder by who may not delete it', async () => {
    const { owner, editor, viewer, file, own } = await places();
    await share(owner, file, editor, 'editor');
    assert.equal((await move(editor, file, own)).status, 200);

    assert.equal((await editor.delete(`/cogs/${own}`)).status, 403);
    const around = await share(editor, own, viewer, 'owner');
    assert.equal(around.status, 403, 'nor hand over what is inside');
    assert.equal((await share(editor, own, viewer, 'editor')).status, 201);
    assert.equal(await levelOf(owner, file), 'owner');
  });

  it('and a grant at the same moment on the folder it goes to give nothing together', async () => {
    const { owner, editor, viewer, file, own } = await places();
    await share(owner, file, editor, 'editor');
    const { parent_id: home } = (await owner.get(`/cogs/${file}`)).body;
    for (let round = 0; round < 10; round++) {
      await Promise.all([move(editor, file, own), share(editor, own, viewer, 'owner')]);

      assert.ok([undefined, 'editor'].includes(await levelOf(viewer, file)));
      for (const grant of (await editor.get(`/permissions/cogs/${own}`)).body) {
        if (grant.user_id !== viewer.user.id) continue;
        assert.equal((await editor.delete(`/permissions/${grant.permission_id}`)).status, 204);
      }
      assert.equal((await move(owner, file, home)).status, 200);
    }
  });

  it('into a folder of the mover inside a shared one raises nothing either', async () => {
    const { owner, editor, shared, file } = await places();
    await share(owner, shared, editor, 'editor');
    const inside = await folder(editor, 'Mine', shared);

    const moved = await move(editor, file, inside);

    assert.deepEqual([moved.status, moved.body.access.level], [200, 'editor']);
    assert.equal((await editor.delete(`/cogs/${file}`)).status, 403);
    assert.equal((await editor.delete(`/cogs/${inside}`)).status, 403);
    assert.equal((await owner.delete(`/cogs/${inside}`)).status, 204);
  });
});
