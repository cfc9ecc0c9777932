import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cast, cast } from '../../../../test/cast.ts';
import { signIn } from '../../../../test/sign-in.ts';
import { changeTenantSettings } from '../../users/users.ts';

describe('GET /platform/tenants/', () => {
  it('lists all tenants with what they use, to platform admins alone', async () => {
    const people = await platform();
    const { admin, stranger, owner } = people;
    await admin.post('/invitations/', { email: 'a@example.test', role: 'member' });
    await owner.upload('five.txt', '12345');
    const name = `Acme ${crypto.randomUUID()}`;
    await changeTenantSettings(people.server.services.db, owner.user.tenant_id, { name });

    const { status, body, headers } = await stranger.get(
      `/platform/tenants/?q=${encodeURIComponent(name.toUpperCase())}&with_total=true`,
    );

    assert.equal(status, 200);
    const [{ created_at, ...tenant }] = body;
    assert.deepEqual(tenant, {
      ...{
        id: owner.user.tenant_id,
        name,
        plan: 'unlimited',
        user_count: 4,
        seats_used: 5,
        storage_used_bytes: 5,
      },
    });
    assert.ok(Date.parse(created_at) > 0);
    assert.equal(headers.get('x-total-count'), '1');
    assert.deepEqual((await stranger.get('/platform/tenants/?q=%25_')).body, []);
    assert.equal((await admin.get('/platform/tenants/')).status, 403);
  });

  it('pages', async () => {
    const { stranger } = await platform();

    const first = await stranger.get('/platform/tenants/?limit=1');
    const next = first.headers.get('link')?.match(/<.+?(\/platform.+)>/)?.[1] ?? '';
    const second = await stranger.get(next);

    assert.ok(second.body[0].id > first.body[0].id);
  });
});

describe('POST /platform/tenants/', () => {
  it('makes a tenant whose first admin signs in with a password of one use', async () => {
    const { stranger, server } = await platform();
    const admin_email = `first-${crypto.randomUUID()}@example.test`;

    const { status, body } = await stranger.post('/platform/tenants/', {
      ...{ name: 'Newcomers', admin_email },
    });

    assert.equal(status, 201);
    const { id, name, user_count, admin } = body;
    assert.deepEqual([name, user_count, admin.email], ['Newcomers', 1, admin_email]);
    const [user] = await server.services.db`
      select tenant_id, role, is_platform_admin from users where id = ${admin.user_id}
    `;
    assert.deepEqual(user, { tenant_id: id, role: 'admin', is_platform_admin: false });
    // The right password leads to the choice of another.
    await assert.rejects(signIn(server, admin_email, admin.password), /New password/);
  });

  it('makes nothing when the address is taken, or for others than platform admins', async () => {
    const { stranger, admin } = await platform();
    const name = `Nobody ${crypto.randomUUID()}`;
    const make = (who: typeof admin, admin_email: string) =>
      who.post('/platform/tenants/', { name, admin_email });

    assert.equal((await make(stranger, admin.user.email)).body.code, 'email_taken');
    assert.equal((await make(admin, 'new@example.test')).status, 403);
    assert.equal((await make(stranger, 'nobody')).status, 422);
    const found = await stranger.get(`/platform/tenants/?q=${encodeURIComponent(name)}`);
    assert.deepEqual(found.body, []);
  });
});

describe('PATCH /platform/tenants/:id', () => {
  it('renames a tenant and limits it at once, and ends a limit', async () => {
    const { admin, owner, stranger } = await platform();
    const path = `/platform/tenants/${admin.user.tenant_id}`;

    const { status, body } = await stranger.patch(path, {
      ...{ name: 'Renamed', seats_limit: 4, storage_limit_bytes: 3, max_running_node_runs: 7 },
    });

    assert.equal(status, 200);
    assert.deepEqual(
      [body.name, body.seats_limit, body.storage_limit_bytes, body.max_running_node_runs],
      ['Renamed', 4, 3, 7],
    );
    const invited = await admin.post('/invitations/', { email: 'a@example.test', role: 'member' });
    assert.equal(invited.body.code, 'quota_exceeded');
    assert.equal((await owner.upload('x', 'four')).body.code, 'quota_exceeded');
    const { body: ended } = await stranger.patch(path, { storage_limit_bytes: null });
    assert.deepEqual([ended.storage_limit_bytes, ended.seats_limit], [undefined, 4]);
    assert.equal((await owner.upload('x', 'four')).status, 201);
  });

  it('stands in the audit trails of that tenant and of the platform admin', async () => {
    const { admin, stranger } = await platform();
    const id = admin.user.tenant_id;
    await stranger.patch(`/platform/tenants/${id}`, { seats_limit: 9 });

    const told = async (who: typeof admin) => {
      const { body } = await who.get('/audit-events/?action=tenant.changed');
      const { actor_id, target_id, details } = body[0];
      return { actor_id, target_id, details };
    };

    assert.deepEqual(await told(admin), {
      actor_id: undefined,
      target_id: String(id),
      details: { seats_limit: 9, platform_admin_id: stranger.user.id },
    });
    assert.deepEqual(await told(stranger), {
      actor_id: stranger.user.id,
      target_id: String(id),
      details: { seats_limit: 9 },
    });
  });

  it('is for platform admins: others learn nothing of other tenants', async () => {
    const { admin, stranger } = await platform();
    const path = (id: number) => `/platform/tenants/${id}`;

    assert.equal((await admin.get(path(admin.user.tenant_id))).status, 403);
    assert.equal((await admin.patch(path(admin.user.tenant_id), { seats_limit: 9 })).status, 403);
    assert.equal((await admin.get(path(stranger.user.tenant_id))).status, 404);
    assert.equal((await stranger.get(path(999_999_999))).status, 404);
    for (const wrong of [{ seats_limit: 0 }, { storage_limit_bytes: -1 }, { name: '' }, { x: 1 }]) {
      assert.equal((await stranger.patch(path(admin.user.tenant_id), wrong)).status, 422);
    }
  });
});

/** The stranger runs the platform. */
async function platform(): Promise<Cast> {
  const people = await cast();
  await people.server.services.db`
    update users set is_platform_admin = true where id = ${people.stranger.user.id}
  `;
  return people;
}
