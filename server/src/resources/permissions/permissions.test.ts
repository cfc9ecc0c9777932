import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, cast, person } from '../../../test/cast.ts';
import { folder, ownGrant, share } from '../../../test/sharing.ts';

const soon = () => new Date(Date.now() + 3_600_000).toISOString();

describe('POST /permissions/cogs/:id', () => {
  it('is 201 for a new grant and 200 for one that replaces it as a whole', async () => {
    const { owner, viewer } = await cast();
    const docs = await folder(owner, 'Docs');

    const first = await share(owner, docs.id, viewer, 'editor', {
      can_upload: false,
      expires_at: soon(),
    });
    const second = await share(owner, docs.id, viewer, 'viewer');

    assert.deepEqual([first.status, second.status], [201, 200]);
    assert.equal(first.body.permission_id, second.body.permission_id);
    assert.deepEqual(Object.keys(second.body).sort(), [
      'created_at',
      'created_by',
      'level',
      'permission_id',
      'target_id',
      'target_type',
      'updated_at',
      'user_id',
    ]);
  });

  it('makes one row of the same grant sent many times at once', async () => {
    const { owner, viewer } = await cast();
    const docs = await folder(owner, 'Docs');

    const answers = await Promise.all(
      Array.from({ length: 8 }, () => share(owner, docs.id, viewer, 'viewer')),
    );

    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.equal(answers.filter(({ status }) => status === 200).length, 7);
    assert.equal(new Set(answers.map(({ body }) => body.permission_id)).size, 1);
  });

  it('makes a new grant where one has expired', async () => {
    const { owner, viewer, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const first = await share(owner, docs.id, viewer, 'viewer', { expires_at: soon() });
    await server.services.db`
      update permissions set expires_at = now() - interval '1 second'
      where id = ${first.body.permission_id}
    `;
    assert.equal((await viewer.get(`/cogs/${docs.id}`)).status, 403);
    assert.equal(await ownGrant(owner, docs.id, viewer), undefined);

    const again = await share(owner, docs.id, viewer, 'viewer');

    assert.equal(again.status, 201);
    assert.notEqual(again.body.permission_id, first.body.permission_id);
  });

  it('refuses bad bodies with the field at fault', async () => {
    const { owner, viewer } = await cast();
    const docs = await folder(owner, 'Docs');
    const good = {
      target_type: 'cog',
      target_id: docs.id,
      user_id: viewer.user.id,
      level: 'viewer',
    };
    const bad = [
      [{ target_type: 'file' }, 'target_type'],
      [{ target_id: docs.id + 1 }, 'target_id'],
      [{ level: 'admin' }, 'level'],
      [{ user_id: 'me' }, 'user_id'],
      [{ can_share: 'yes' }, 'can_share'],
      [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
      [{ expires_at: '2100-01-01T00:00:00' }, 'expires_at'],
      [{ expires_at: '2100-13-01T00:00:00Z' }, 'expires_at'],
      [{ expires_at: 4102444800 }, 'expires_at'],
      [{ note: 'x' }, 'note'],
    ] as const;
    for (const [change, field] of bad) {
      const answer = await owner.post(`/permissions/cogs/${docs.id}`, { ...good, ...change });
      assert.equal(answer.status, 422, JSON.stringify(change));
      assert.equal(answer.body.detail[0].loc.join('.'), `body.${field}`);
    }
    const far = await owner.post(`/permissions/cogs/${docs.id}`, {
      ...good,
      expires_at: '9999-12-31T23:59:59+02:00',
    });
    assert.equal(far.body.expires_at, '9999-12-31T21:59:59.000Z');
  });

  it('knows no users of another tenant, unknown or disabled ones, and no such cogs', async () => {
    const { owner, stranger, viewer, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const gone = await person(server, owner.user.tenant_id, 'gone', 'member');
    await server.services.db`update users set status = 'disabled' where id = ${gone.user.id}`;
    const nobody = { ...viewer, user: { ...viewer.user, id: 999_999_999 } };

    const answers = await Promise.all(
      [stranger, gone, nobody].map((who) => share(owner, docs.id, who, 'viewer')),
    );
    for (const { status, body } of answers)
      assert.deepEqual([status, body], [404, answers[0]?.body]);
    assert.equal((await share(stranger, docs.id, stranger, 'viewer')).status, 404);
    assert.equal((await share(owner, 999_999_999, viewer, 'viewer')).status, 404);
  });

  it('is for who may share, and for no more than they have', async () => {
    const { owner, editor, viewer, server } = await cast();
    const docs = await folder(owner, 'Docs');
    const other = await person(server, owner.user.tenant_id, 'other', 'member');
    await share(owner, docs.id, viewer, 'viewer');
    await share(owner, docs.id, editor, 'editor');
    for (const by of [viewer, editor, other]) {
      assert.equal((await share(by, docs.id, other, 'viewer')).status, 403);
    }

    await share(owner, docs.id, editor, 'editor', { can_share: true });

    assert.equal((await share(editor, docs.id, other, 'owner')).status, 403);
    assert.equal((await share(editor, docs.id, other, 'viewer', { can_delete: true })).status, 403);
    assert.equal((await share(editor, docs.id, other, 'editor', { can_share: true })).status, 201);
    await share(owner, docs.id, editor, 'owner', { can_delete: false });
    assert.equal((await share(editor, docs.id, other, 'owner')).status, 403);
    assert.equal((await share(editor, docs.id, other, 'owner', { can_delete: false })).status, 200);
  });

  it('never takes rights from somebody who has more', async () => {
    const { owner, editor } = await cast();
    const docs = await folder(owner, 'Docs');
    const file = (await owner.upload('a', 'x', docs.id)).body;
    await share(owner, docs.id, editor, 'editor', { can_share: true });
    const grant = await ownGrant(owner, docs.id);

    for (const answer of [
      await share(editor, file.id, owner, 'viewer'),
      await share(editor, docs.id, owner, 'editor'),
      await editor.patch(`/permissions/${grant.permission_id}`, { level: 'viewer' }),
      await editor.delete(`/permissions/${grant.permission_id}`),
    ]) {
      assert.equal(answer.status, 403);
    }
  });

  it('answers a repeated Idempotency-Key with the first status', async () => {
    const { owner, viewer } = await cast();
    const docs = await folder(owner, 'Docs');
    const body = {
      target_type: 'cog',
      target_id: docs.id,
      user_id: viewer.user.id,
      level: 'viewer',
    };
    const headers = { 'idempotency-key': 'share-1' };
    const send = () => owner.post(`/permissions/cogs/${docs.id}`, body, { headers });

    assert.deepEqual([(await send()).status, (await send()).status], [201, 201]);
  });
});

describe('GET /permissions/cogs/:id', () => {
  it('lists grants, and with include_inherited where those above come from', async () => {
    const { owner, viewer, editor } = await cast();
    const docs = await folder(owner, 'Docs');
    const file = (await owner.upload('a', 'x', docs.id)).body;
    await share(owner, docs.id, viewer, 'viewer');
    await share(owner, file.id, viewer, 'editor');

    const direct = await viewer.get(`/permissions/cogs/${file.id}`);
    const all = await viewer.get(
      `/permissions/cogs/${file.id}?include_inherited=true&with_total=true`,
    );

    assert.equal(direct.body.length, 1);
    assert.ok(!('inherited' in direct.body[0]));
    assert.equal(all.headers.get('x-total-count'), '3');
    const rows = all.body.map((grant: Record<string, unknown>) => [
      grant.user_id,
      grant.level,
      grant.inherited_from,
      grant.overridden,
    ]);
    assert.deepEqual(rows, [
      [viewer.user.id, 'editor', undefined, undefined],
      [owner.user.id, 'owner', docs.id, undefined],
      [viewer.user.id, 'viewer', docs.id, true],
    ]);
    const first = await viewer.get(`/permissions/cogs/${file.id}?include_inherited=true&limit=2`);
    const next = first.headers.get('link')?.match(/<.+?(\/permissions.+)>/)?.[1] ?? '';
    assert.deepEqual([...first.body, ...(await viewer.get(next)).body], all.body);
    assert.equal((await editor.get(`/permissions/cogs/${file.id}`)).status, 403);
  });
});

describe('GET /permissions/cogs/:id/effective', () => {
  it('explains by which grant, or without one, somebody has their rights', async () => {
    const { owner, viewer, editor, admin, stranger } = await cast();
    const docs = await folder(owner, 'Docs');
    const file = (await owner.upload('a', 'x', docs.id)).body;
    const granted = (await share(owner, docs.id, viewer, 'viewer', { can_upload: true })).body;
    const of = async (id: number, who: Client) =>
      (await owner.get(`/permissions/cogs/${id}/effective?user_id=${who.user.id}`)).body;
    const { body: root } = await owner.get('/cogs/root');

    const inherited = await of(file.id, viewer);
    assert.deepEqual(
      [inherited.level, inherited.can_upload, inherited.can_share, inherited.reason],
      ['viewer', true, false, 'grant'],
    );
    assert.equal(inherited.grant.permission_id, granted.permission_id);
    assert.equal(inherited.grant.inherited_from, docs.id);
    assert.ok(!('inherited' in (await of(docs.id, viewer)).grant));
    assert.deepEqual(await of(file.id, editor), {
      cog_id: file.id,
      user_id: editor.user.id,
      can_upload: false,
      can_share: false,
      can_delete: false,
      reason: 'none',
      explanation: 'No access: there is no grant on it or on a folder above.',
    });
    assert.equal((await of(file.id, admin)).reason, 'tenant_admin');
    assert.equal((await of(root.id, editor)).reason, 'root');
    const mine = await owner.get(`/permissions/cogs/${file.id}/effective`);
    assert.equal(mine.body.user_id, owner.user.id);
    const foreign = await owner.get(
      `/permissions/cogs/${file.id}/effective?user_id=${stranger.user.id}`,
    );
    assert.equal(foreign.status, 404);
  });
});

describe('PATCH and DELETE /permissions/:permission_id', () => {
  it('change only what is given, and clear what is null', async () => {
    const { owner, viewer } = await cast();
    const docs = await folder(owner, 'Docs');
    const { body: grant } = await share(owner, docs.id, viewer, 'viewer', {
      can_upload: true,
      can_delete: false,
      expires_at: soon(),
    });
    const at = `/permissions/${grant.permission_id}`;

    const raised = await owner.patch(at, { level: 'editor' });
    const cleared = await owner.patch(at, { expires_at: null, can_delete: null });

    assert.deepEqual(
      [raised.body.level, raised.body.can_upload, raised.body.expires_at],
      ['editor', true, grant.expires_at],
    );
    assert.ok(!('expires_at' in cleared.body) && !('can_delete' in cleared.body));
    assert.equal(cleared.body.can_upload, true);
    assert.equal((await owner.patch(at, { expires_at: '2020-01-01T00:00:00Z' })).status, 422);
    assert.equal((await owner.patch(at, { user_id: 1 })).status, 422);
    assert.equal((await owner.delete(at)).status, 204);
    assert.equal((await owner.delete(at)).status, 404);
    assert.equal((await viewer.get(`/cogs/${docs.id}`)).status, 403);
  });

  it('are refused to who may not share, and find nothing in another tenant', async () => {
    const { owner, viewer, editor, stranger } = await cast();
    const docs = await folder(owner, 'Docs');
    const { body: grant } = await share(owner, docs.id, viewer, 'viewer');
    const at = `/permissions/${grant.permission_id}`;
    for (const by of [viewer, editor]) {
      assert.equal((await by.patch(at, { level: 'owner' })).status, 403);
      assert.equal((await by.delete(at)).status, 403);
    }
    const foreign = await stranger.delete(at);
    assert.equal(foreign.status, 404);
    assert.deepEqual(foreign.body, (await stranger.delete('/permissions/999999999')).body);
    assert.equal((await stranger.patch(at, { level: 'owner' })).status, 404);
  });
});
