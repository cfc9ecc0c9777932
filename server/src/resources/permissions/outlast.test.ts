import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, person } from '../../../test/cast.ts';
import { share } from '../../../test/sharing.ts';

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

/** A folder that the editor may share until `end`. */
async function sharedUntil() {
  const people = await cast();
  const made = await people.owner.post('/cogs/', { name: 'Docs', cog_type: 'asset_folder' });
  const docs: number = made.body.id;
  const end = inHours(2);
  const extra = { can_share: true, expires_at: end };
  const { body } = await share(people.owner, docs, people.editor, 'viewer', extra);
  return { ...people, docs, end, grant: body };
}

/** The answer is a refusal that names the latest possible expiry. */
function assertNames(
  answer: { status: number; body: { detail: { loc: string[]; msg: string }[] } },
  end: string,
) {
  assert.equal(answer.status, 422, JSON.stringify(answer.body));
  assert.equal(answer.body.detail[0]?.loc.join('.'), 'body.expires_at');
  assert.ok(answer.body.detail[0]?.msg.includes(end), answer.body.detail[0]?.msg);
}

describe('whose access expires', () => {
  it('grants nobody access that lasts longer, themselves included', async () => {
    const { editor, viewer, docs, end, grant } = await sharedUntil();

    assertNames(await share(editor, docs, viewer, 'viewer'), end);
    assertNames(await share(editor, docs, viewer, 'viewer', { expires_at: inHours(3) }), end);
    assertNames(await share(editor, docs, editor, 'viewer', { can_share: true }), end);
    const at = `/permissions/${grant.permission_id}`;
    assertNames(await editor.patch(at, { expires_at: null }), end);
    assertNames(await editor.patch(at, { expires_at: inHours(3) }), end);

    assert.equal((await share(editor, docs, viewer, 'viewer', { expires_at: end })).status, 201);
  });

  it('grants a thing inside the folder no longer either', async () => {
    const { owner, editor, viewer, docs, end } = await sharedUntil();
    const file = (await owner.upload('a', 'x', docs)).body.id;

    assertNames(await share(editor, file, editor, 'viewer', { can_share: true }), end);
    assertNames(await share(editor, file, viewer, 'viewer'), end);
  });

  it('passes on no more time than they were given, from one to the next', async () => {
    const { server, editor, viewer, docs, end } = await sharedUntil();
    const friend = await person(server, viewer.user.tenant_id, 'friend', 'member');
    const sooner = inHours(1);
    await share(editor, docs, viewer, 'viewer', { can_share: true, expires_at: sooner });

    assertNames(await share(viewer, docs, friend, 'viewer', { expires_at: end }), sooner);
    assertNames(await share(viewer, docs, viewer, 'viewer', { expires_at: end }), sooner);
  });

  it('has what a nearer grant leaves, and then what the next one above gives', async () => {
    const { owner, editor, viewer, docs } = await sharedUntil();
    const file = (await owner.upload('a', 'x', docs)).body.id;
    const sooner = inHours(1);
    await share(owner, file, editor, 'editor', { can_share: true, expires_at: sooner });

    assertNames(await share(editor, file, viewer, 'editor'), sooner);
    const expires_at = inHours(1.5);
    assert.equal((await share(editor, file, viewer, 'viewer', { expires_at })).status, 201);
  });

  it('may end and lower what others have, and a grant without an end stays one', async () => {
    const { owner, editor, viewer, docs } = await sharedUntil();
    const { body } = await share(owner, docs, viewer, 'viewer', { can_upload: false });
    const at = `/permissions/${body.permission_id}`;

    assert.equal((await editor.patch(at, { can_delete: false })).status, 200);
    assert.equal((await editor.delete(at)).status, 204);
  });

  it('gets nothing back by a lesser grant that ends', async () => {
    const { owner, viewer, docs } = await sharedUntil();
    const file = (await owner.upload('a', 'x', docs)).body.id;
    await share(owner, docs, viewer, 'owner');
    await share(owner, file, viewer, 'viewer', { can_share: true });

    // The viewer grant on the file keeps the folder's owner from owning it; when it expires, they
    // own it.
    const again = await share(viewer, file, viewer, 'viewer', {
      can_share: true,
      expires_at: inHours(1),
    });
    assert.equal(again.status, 403);
  });
});
