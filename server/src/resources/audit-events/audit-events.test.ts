import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { recordEvent } from './audit-events.ts';

describe('GET /audit-events/', () => {
  it('tells an admin of the tenant who did what, the newest first', async () => {
    const { owner, viewer, admin, stranger } = await cast();
    const docs = (await owner.post('/cogs/', { name: 'Docs', cog_type: 'asset_folder' })).body;
    const grant = (
      await owner.post(`/permissions/cogs/${docs.id}`, {
        target_type: 'cog',
        target_id: docs.id,
        user_id: viewer.user.id,
        level: 'viewer',
      })
    ).body;
    await owner.patch(`/permissions/${grant.permission_id}`, { level: 'editor' });
    await owner.delete(`/permissions/${grant.permission_id}`);
    await owner.delete(`/cogs/${docs.id}`);

    const { status, body } = await admin.get('/audit-events/?target_type=cog');

    assert.equal(status, 200);
    assert.deepEqual(
      body.map((event: { action: string }) => event.action),
      ['cog.deleted', 'permission.revoked', 'permission.changed', 'permission.granted'],
    );
    for (const event of body) {
      assert.equal(event.actor_id, owner.user.id);
      assert.equal(event.target_id, String(docs.id));
    }
    assert.equal(body[2].details.level, 'editor');
    assert.deepEqual((await stranger.get('/audit-events/?target_type=cog')).body, []);
    assert.equal((await owner.get('/audit-events/')).status, 403);
  });

  it('tells of everything that changes rights to a file, or removes something of it', async () => {
    const { owner, editor, admin } = await cast();
    const { body: root } = await owner.get('/cogs/root');
    const place = (await owner.post('/cogs/', { name: 'Place', cog_type: 'asset_folder' })).body;
    const { id } = (await owner.upload('life.txt', 'one')).body;
    const form = new FormData();
    form.append('file', new Blob(['two']), 'life.txt');
    await owner.fetch(`/cogs/${id}/content`, { method: 'POST', body: form });
    await owner.post(`/cogs/${id}/versions/1/restore`);
    await owner.delete(`/cogs/${id}/versions/2`);
    await owner.patch(`/cogs/${id}`, { parent_id: place.id });
    await owner.patch(`/cogs/${id}`, { parent_id: root.id });
    const { body: copied } = await owner.post(`/cogs/${id}/copy`, { parent_id: place.id });
    await owner.post(`/cogs/${id}/transfer`, { user_id: editor.user.id, keep_access: 'none' });
    await editor.delete(`/cogs/${id}`);
    await editor.post(`/cogs/${id}/restore`);
    await editor.delete(`/cogs/${id}`);
    await editor.delete(`/cogs/${id}?permanent=true`);

    const { body } = await admin.get('/audit-events/?target_type=cog');
    const told = body
      .filter(({ target_id }: { target_id: string }) => target_id === String(id))
      .map(({ action, actor_id }: { action: string; actor_id: number }) => [
        action,
        actor_id === owner.user.id ? 'owner' : 'editor',
      ])
      .reverse();

    assert.deepEqual(told, [
      ['cog.version_restored', 'owner'],
      ['cog.version_deleted', 'owner'],
      ['cog.moved', 'owner'],
      ['cog.moved', 'owner'],
      ['permission.granted', 'owner'],
      ['permission.revoked', 'owner'],
      ['cog.transferred', 'owner'],
      ['cog.deleted', 'editor'],
      ['cog.restored', 'editor'],
      ['cog.deleted', 'editor'],
      ['cog.purged', 'editor'],
    ]);
    const ofCopy = body.find(({ action }: { action: string }) => action === 'cog.copied');
    assert.equal(ofCopy.target_id, String(copied.id));
  });

  it('filters and pages', async () => {
    const { owner, admin, server } = await cast();
    const { db } = server.services;
    const actor = { tenant_id: owner.user.tenant_id, user_id: owner.user.id };
    for (const action of ['x.one', 'x.two', 'x.one']) {
      await recordEvent(db, actor, { action, target_type: 'x' });
    }
    await recordEvent(db, { tenant_id: actor.tenant_id }, { action: 'x.one', target_type: 'y' });
    const get = (query: string) => admin.get(`/audit-events/?${query}`);

    assert.equal((await get('action=x.one')).body.length, 3);
    assert.equal((await get('target_type=x')).body.length, 3);
    assert.equal((await get(`actor_id=${owner.user.id}&action=x.one`)).body.length, 2);
    const page = await get('action=x.one&limit=2&with_total=true');
    assert.equal(page.headers.get('x-total-count'), '3');
    const next = page.headers.get('link')?.match(/<.+?(\/audit-events.+)>/)?.[1] ?? '';
    assert.equal((await admin.get(next)).body.length, 1);
  });

  it('is only ever added to', async () => {
    const { owner, server } = await cast();
    const { db } = server.services;
    const { tenant_id } = owner.user;
    await recordEvent(db, { tenant_id }, { action: 'x', target_type: 'x' });

    await assert.rejects(
      db`update audit_events set action = 'y' where tenant_id = ${tenant_id}`,
      /append-only/,
    );
    await assert.rejects(
      db`delete from audit_events where tenant_id = ${tenant_id}`,
      /append-only/,
    );
  });
});
