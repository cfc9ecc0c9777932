import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { folder, ownGrant, share } from '../../../test/sharing.ts';
import { explanationOf } from './explaining.ts';
import { accessBy } from './rules.ts';

const { owner, editor, viewer, admin } = await cast();

const explain = async (by: typeof owner, id: number, whose: typeof owner) =>
  (await by.get(`/permissions/cogs/${id}/effective?user_id=${whose.user.id}`)).body.explanation;

describe('the explanation of access', () => {
  it('names the folder with the grant, how far up it is, and until when', async () => {
    const clients = await folder(owner, 'Clients');
    const inner = await folder(owner, 'Inner', clients.id);
    const file = (await owner.upload('plan.txt', 'x', inner.id)).body;
    const expires_at = '2099-03-03T12:00:00Z';
    await share(owner, clients.id, editor, 'editor', { expires_at, can_share: true });

    assert.equal(
      await explain(owner, file.id, editor),
      'Editor who may also share, through the grant on “Clients”, two folders up, until 3 March 2099, 12:00 UTC.',
    );
    assert.equal(
      await explain(owner, inner.id, owner),
      'Owner, through the grant on “Clients”, one folder up.',
    );
    assert.equal(
      await explain(owner, clients.id, owner),
      'Owner, through a grant on the item itself.',
    );
  });

  it('does not name a folder that whoever asks may not see', async () => {
    const secret = await folder(owner, 'Secret');
    const file = (await owner.upload('shown.txt', 'x', secret.id)).body;
    await share(owner, file.id, viewer, 'viewer');

    assert.equal(
      await explain(viewer, file.id, owner),
      'Owner, through a grant on a folder above that you cannot see.',
    );
    assert.match(await explain(admin, file.id, owner), /“Secret”/);
  });

  it('says why somebody has access without a grant, or none', async () => {
    const { body: root } = await owner.get('/cogs/root');
    const file = (await owner.upload('alone.txt', 'x')).body;

    assert.equal(await explain(owner, file.id, admin), 'Owner, as an administrator.');
    assert.equal(
      await explain(owner, root.id, viewer),
      'Viewer who may also upload: every member sees the root folder and creates in it.',
    );
    assert.equal(
      await explain(owner, file.id, viewer),
      'No access: there is no grant on it or on a folder above.',
    );
    assert.equal(await ownGrant(owner, file.id, viewer), undefined);
  });

  it('lists what a grant gives more or less than its level', () => {
    const words = (grant: Parameters<typeof accessBy>[0]) =>
      explanationOf({ reason: 'grant', access: accessBy(grant) }).split(', through')[0];

    assert.equal(words({ level: 'viewer' }), 'Viewer');
    assert.equal(
      words({ level: 'owner', can_share: false, can_delete: false }),
      'Owner who may not share or delete',
    );
    assert.equal(
      words({ level: 'editor', can_upload: false, can_share: true, can_delete: true }),
      'Editor who may also share and delete but who may not upload',
    );
  });
});
