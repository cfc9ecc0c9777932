import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { folder, ownGrant, share } from '../../../test/sharing.ts';

const soon = () => new Date(Date.now() + 3_600_000).toISOString();

describe('the last owner', () => {
  it('stays: neither revoked, lowered, ended nor granted away, by nobody', async () => {
    const { owner, admin, editor } = await cast();
    const docs = await folder(owner, 'Docs');
    await share(owner, docs.id, admin, 'owner');
    const grant = await ownGrant(owner, docs.id);
    const at = `/permissions/${grant.permission_id}`;

    for (const by of [owner, admin]) {
      for (const answer of [
        await by.delete(at),
        await by.patch(at, { level: 'editor' }),
        await by.patch(at, { expires_at: soon() }),
        await share(by, docs.id, owner, 'viewer'),
      ]) {
        assert.deepEqual([answer.status, answer.body.code], [409, 'last_owner']);
      }
    }
    await share(owner, docs.id, editor, 'owner');
    assert.equal((await owner.delete(at)).status, 204);
    assert.equal((await owner.get(`/cogs/${docs.id}`)).status, 403);
  });

  it('stays when two owners take each other away at once', async () => {
    const { owner, editor } = await cast();
    for (let round = 0; round < 5; round++) {
      const docs = await folder(owner, `Docs${round}`);
      await share(owner, docs.id, editor, 'owner');
      const mine = await ownGrant(owner, docs.id);
      const theirs = await ownGrant(owner, docs.id, editor);

      const answers = await Promise.all([
        owner.delete(`/permissions/${theirs.permission_id}`),
        editor.delete(`/permissions/${mine.permission_id}`),
      ]);

      assert.deepEqual(answers.filter(({ status }) => status === 204).length, 1);
    }
  });

  it('may be followed by who owns the folder above', async () => {
    const { owner, editor } = await cast();
    const docs = await folder(owner, 'Docs');
    await share(owner, docs.id, editor, 'editor');
    const file = (await editor.upload('a', 'x', docs.id)).body;
    const grant = await ownGrant(owner, file.id, editor);

    assert.equal((await owner.delete(`/permissions/${grant.permission_id}`)).status, 204);
  });
});
