import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast, person } from '../../../test/cast.ts';
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
      assert.equal(event.target_name, 'Docs');
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

  it('finds what began so, was done by or to somebody, to one thing, and in a time', async () => {
    const { owner, viewer, admin, server } = await cast();
    const { db } = server.services;
    const { tenant_id } = owner.user;
    const by = (who: typeof owner) => ({ tenant_id, user_id: who.user.id });
    await recordEvent(db, by(owner), { action: 'a.one', target_type: 'cog', target_id: 7 });
    await recordEvent(db, by(admin), {
      ...{ action: 'a.two', target_type: 'user', target_id: owner.user.id },
    });
    await recordEvent(db, by(viewer), { action: 'b.one', target_type: 'cog', target_id: 8 });
    await db`
      insert into audit_events (tenant_id, action, target_type, created_at)
      values (${tenant_id}, 'b.old', 'x', '2026-01-15T10:00:00Z')
    `;
    const found = async (query: string) => {
      const { body } = await admin.get(`/audit-events/?${query}`);
      return body.map((event: { action: string }) => event.action);
    };

    assert.deepEqual(await found('action=a.'), ['a.two', 'a.one']);
    assert.deepEqual(await found(`user_id=${owner.user.id}`), ['a.two', 'a.one']);
    assert.deepEqual(await found(`actor_id=${owner.user.id}`), ['a.one']);
    assert.deepEqual(await found('target_type=cog&target_id=8'), ['b.one']);
    const time = (text: string) => encodeURIComponent(text);
    const [from, to] = [time('2026-01-15T12:00:00+02:00'), time('2026-01-15T10:00:01Z')];
    assert.deepEqual(await found(`from=${from}&to=${to}`), ['b.old']);
    assert.deepEqual(await found(`to=${from}`), []);
    assert.equal((await admin.get('/audit-events/?from=yesterday')).status, 422);
  });

  it('tells what failed apart from what was done', async () => {
    const { owner, admin, server } = await cast();
    const { tenant_id, id } = owner.user;
    for (const action of ['user.sign_in_failed', 'user.signed_in', 'trigger.paused']) {
      await recordEvent(server.services.db, { tenant_id }, { action, target_type: 'x' });
    }
    const actions = async (query: string) =>
      (await admin.get(`/audit-events/?target_type=x&${query}`)).body.map(
        (event: { action: string }) => event.action,
      );

    assert.deepEqual(await actions('outcome=failed'), ['trigger.paused', 'user.sign_in_failed']);
    assert.deepEqual(await actions('outcome=done'), ['user.signed_in']);
    assert.deepEqual(await actions(`outcome=failed&user_id=${id}`), []);
    assert.equal((await admin.get('/audit-events/?outcome=good')).status, 422);
  });

  it('comes as CSV, whole, with nothing that a spreadsheet would run', async () => {
    const { owner, admin, server } = await cast();
    const { db } = server.services;
    const { tenant_id } = owner.user;
    await db`
      insert into audit_events (tenant_id, action, target_type)
      select ${tenant_id}, 'many.' || i, 'x' from generate_series(1, 2500) as i
    `;
    await recordEvent(
      db,
      { tenant_id, user_id: owner.user.id },
      {
        ...{ action: '=cmd()', target_type: 'x', target_id: '@x' },
        details: { name: 'a "quoted", one' },
      },
    );

    const asked = await admin.get('/audit-events/?target_type=x&format=csv&limit=10');
    const accepted = await admin.get('/audit-events/?target_type=x', {
      headers: { accept: 'text/csv' },
    });

    assert.equal(asked.status, 200);
    assert.equal(asked.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(accepted.body, asked.body);
    const [header, first = '', ...rest] = asked.body.trimEnd().split('\r\n');
    assert.equal(
      header,
      'id,created_at,action,actor_id,actor_email,target_type,target_id,details,key_id,request_id',
    );
    const [, , action, , , , target, ...details] = first.split(',');
    assert.deepEqual([action, target], ["'=cmd()", "'@x"]);
    assert.equal(details.join(','), '"{""name"":""a \\""quoted\\"", one""}",,');
    assert.equal(rest.length, 2500);
    assert.equal(new Set(rest).size, 2500);
    assert.equal((await owner.get('/audit-events/?format=csv')).status, 403);
  });

  it('stops coming as CSV to somebody who is no admin any more', async () => {
    const { admin, server } = await cast();
    const { tenant_id } = admin.user;
    const second = await person(server, tenant_id, 'second', 'admin');
    // More than the connection holds while nobody reads.
    await server.services.db`
      insert into audit_events (tenant_id, action, target_type, details)
      select ${tenant_id}, 'many', 'x', jsonb_build_object('text', repeat('x', 8000))
      from generate_series(1, 5000)
    `;
    const answer = await second.fetch('/audit-events/?target_type=x&format=csv');
    assert.equal(answer.status, 200);

    await admin.patch(`/users/${second.user.id}`, { role: 'member' });

    await assert.rejects(answer.text());
  });

  it('has every reading and export of itself, with what was asked for', async () => {
    const { owner, admin } = await cast();
    for (const name of ['a', 'b', 'c']) await owner.post('/api-keys/', { description: name });
    const page = await admin.get('/audit-events/?action=api_key&limit=1');
    const next = page.headers.get('link')?.match(/<.+?(\/audit-events.+)>/)?.[1] ?? '';
    await admin.get(next);
    await admin.get(next.replace('action=api_key', 'action=user'));
    await admin.get('/audit-events/?target_type=api_key&format=csv');
    await owner.get('/audit-events/');

    const { body } = await admin.get('/audit-events/?target_type=audit_events');

    type Event = { action: string; actor_id: number; details: object };
    assert.deepEqual(
      body.map(({ action, actor_id, details }: Event) => [action, actor_id, details]),
      [
        ['audit_events.exported', admin.user.id, { target_type: 'api_key' }],
        // By the page of another reading.
        ['audit_events.read', admin.user.id, { action: 'user' }],
        ['audit_events.read', admin.user.id, { action: 'api_key' }],
      ],
    );
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
