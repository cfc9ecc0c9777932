import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';
import type { Services } from '../../services.ts';
import { readCredentials } from './secrets.ts';

const credentials = async (
  { engineDb: db, readDb: lookups, keys }: Services,
  tenantId: number,
  server: string,
) =>
  (
    await readCredentials({ db, lookups, taken: lookups, keys }, tenantId, {
      servers: [server],
      names: [],
    })
  ).registry(server);

const registry = (server = 'registry.example:5000') => ({
  name: 'REGISTRY',
  kind: 'registry',
  value: { server, username: 'robot', password: 'p4ssword-unreadable' },
});

describe('POST /secrets', () => {
  it('stores a value that no answer ever shows', async () => {
    const { admin, viewer } = await cast();

    const created = await admin.post('/secrets', registry());
    const listed = await viewer.get('/secrets');
    const one = await viewer.get(`/secrets/${created.body.id}`);

    assert.equal(created.status, 201);
    assert.equal(one.body.server, 'registry.example:5000');
    for (const { body } of [created, listed, one]) {
      assert.doesNotMatch(JSON.stringify(body), /p4ssword|robot/);
    }
  });

  it('stands in the audit trail by its name, which is known still when it is deleted', async () => {
    const { admin } = await cast();
    const { body } = await admin.post('/secrets', registry());
    await admin.put(`/secrets/${body.id}`, { value: registry('other.example').value });
    await admin.delete(`/secrets/${body.id}`);

    const { body: events } = await admin.get('/audit-events/?target_type=secret');

    type Event = { action: string; details: object };
    const [name, kind] = ['REGISTRY', 'registry'];
    assert.deepEqual(
      events.map(({ action, details }: Event) => [action, details]),
      [
        ['secret.deleted', { name, kind, server: 'other.example', version: 2 }],
        ['secret.changed', { name, kind, server: 'other.example', version: 2 }],
        ['secret.created', { name, kind, server: 'registry.example:5000', version: 1 }],
      ],
    );
  });

  it('keeps the value sealed in the database, under the key of its tenant', async () => {
    const { admin, stranger, server } = await cast();
    const { db } = server.services;
    const { body } = await admin.post('/secrets', registry());

    const [row] = await db<
      { sealed_value: Buffer }[]
    >`select sealed_value from secrets where id = ${body.id}`;
    assert.doesNotMatch(String(row?.sealed_value), /p4ssword|robot/);
    const opened = await credentials(
      server.services,
      admin.user.tenant_id,
      'registry.example:5000',
    );
    assert.equal(opened?.password, 'p4ssword-unreadable');

    // An attacker with database access, but without the key, moves the row to a tenant of their
    // own.
    await db`update secrets set tenant_id = ${stranger.user.tenant_id}, created_by = ${stranger.user.id} where id = ${body.id}`;
    await assert.rejects(
      credentials(server.services, stranger.user.tenant_id, 'registry.example:5000'),
    );
  });

  it('is for admins of the tenant', async () => {
    const { viewer, admin, stranger } = await cast();
    const { body } = await admin.post('/secrets', registry());

    assert.equal((await viewer.post('/secrets', { ...registry(), name: 'MINE' })).status, 403);
    assert.equal((await viewer.delete(`/secrets/${body.id}`)).status, 403);
    assert.equal((await stranger.get(`/secrets/${body.id}`)).status, 404);
    assert.equal((await stranger.delete(`/secrets/${body.id}`)).status, 404);
  });

  it('refuses a name twice, a bad name, and a value that does not fit the kind', async () => {
    const { admin } = await cast();
    await admin.post('/secrets', registry());

    const twice = await admin.post('/secrets', registry());
    assert.equal(twice.status, 409);
    assert.equal(twice.body.code, 'name_collision');
    assert.equal((await admin.post('/secrets', { ...registry(), name: 'lower' })).status, 422);
    assert.equal(
      (await admin.post('/secrets', { name: 'A', kind: 'generic', value: registry().value }))
        .status,
      422,
    );
    assert.equal(
      (await admin.post('/secrets', { name: 'B', kind: 'registry', value: 'text' })).status,
      422,
    );
    assert.equal(
      (await admin.post('/secrets', { ...registry('no host!'), name: 'C' })).status,
      422,
    );
  });

  it('answers the first result again for the same Idempotency-Key, and keeps no clear text of it', async () => {
    const { admin } = await cast();
    const headers = { 'idempotency-key': 'once-only' };

    const first = await admin.post('/secrets', registry(), { headers });
    const again = await admin.post('/secrets', registry(), { headers });
    const other = await admin.post('/secrets', { ...registry(), name: 'OTHER' }, { headers });

    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.deepEqual(again.body, first.body);
    assert.equal(other.status, 409);
    assert.equal(other.body.code, 'idempotency_mismatch');
  });
});

describe('PUT and DELETE /secrets/:id', () => {
  it('replaces the value and counts it', async () => {
    const { admin, server } = await cast();
    const { body } = await admin.post('/secrets', registry());

    const changed = await admin.put(`/secrets/${body.id}`, {
      value: { ...registry().value, password: 'another' },
    });

    assert.equal(changed.status, 200);
    assert.equal(changed.body.version, 2);
    const opened = await credentials(
      server.services,
      admin.user.tenant_id,
      'registry.example:5000',
    );
    assert.equal(opened?.password, 'another');
    assert.equal((await admin.delete(`/secrets/${body.id}`)).status, 204);
    assert.equal((await admin.get(`/secrets/${body.id}`)).status, 404);
  });
});

describe('a sealed value', () => {
  it('of an earlier version cannot be put back', async () => {
    const { admin, server } = await cast();
    const { db } = server.services;
    const { id } = (await admin.post('/secrets', registry())).body;
    const [old] = await db<
      { sealed_value: Buffer }[]
    >`select sealed_value from secrets where id = ${id}`;
    const at = () => credentials(server.services, admin.user.tenant_id, registry().value.server);
    await admin.put(`/secrets/${id}`, { value: { ...registry().value, password: 'another' } });
    assert.equal((await at())?.password, 'another');
    await db`update secrets set sealed_value = ${old?.sealed_value as Buffer} where id = ${id}`;
    await assert.rejects(at());
  });

  it('is one of two versions when two change it at once', async () => {
    const { admin, server } = await cast();
    const { id } = (await admin.post('/secrets', registry())).body;
    const passwords = ['one', 'two', 'three', 'four'];
    await Promise.all(
      passwords.map((password) =>
        admin.put(`/secrets/${id}`, { value: { ...registry().value, password } }),
      ),
    );
    assert.equal((await admin.get(`/secrets/${id}`)).body.version, 5);
    const { server: host } = registry().value;
    const opened = await credentials(server.services, admin.user.tenant_id, host);
    assert.ok(passwords.includes(opened?.password ?? ''));
  });
});

describe('deleting a secret that a trigger needs', () => {
  it('is refused while the trigger is on, also if it runs a draft', async () => {
    const { admin } = await cast();
    const params = { type: 'object', properties: { token: { type: 'string', 'x-secret': true } } };
    const definition = await registerNode(admin, { params, image: 'registry.example:5000/t:1' });
    const graph = mappedGraph(definition, { params: { token: { $secret: 'TOKEN' } } });
    const { body } = await admin.post('/workflows', { name: 'Nightly', graph });
    const token = { name: 'TOKEN', kind: 'generic', value: 'x' };
    const ids = [
      (await admin.post('/secrets', token)).body.id,
      (await admin.post('/secrets', registry())).body.id,
    ];
    const { body: trigger } = await admin.post('/workflows/triggers', {
      ...{ name: 'Nightly', type: 'schedule', cron: '0 0 * * *' },
      workflow_version_id: body.latest_version_id,
    });

    for (const id of ids) {
      const refused = await admin.delete(`/secrets/${id}`);
      assert.deepEqual([refused.status, refused.body.code], [409, 'secret_in_use']);
      assert.match(refused.body.detail, /"Nightly" needs this secret/);
      const { used_by } = (await admin.get(`/secrets/${id}`)).body;
      assert.deepEqual(used_by, [{ workflow_id: body.id, name: 'Nightly' }]);
    }
    await admin.patch(`/workflows/triggers/${trigger.id}`, { enabled: false });
    for (const id of ids) assert.equal((await admin.delete(`/secrets/${id}`)).status, 204);
  });
});

describe('deleting a secret that a published version needs', () => {
  it('is refused until the version is archived, or another secret is there for its registry', async () => {
    const { admin } = await cast();
    const params = { type: 'object', properties: { token: { type: 'string', 'x-secret': true } } };
    const definition = await registerNode(admin, { params, image: 'registry.example:5000/t:1' });
    const graph = mappedGraph(definition, { params: { token: { $secret: 'TOKEN' } } });
    const { body } = await admin.post('/workflows', { name: 'Needs it', graph });
    const version = `/workflows/workflow-versions/${body.latest_version_id}`;
    const token = (await admin.post('/secrets', { name: 'TOKEN', kind: 'generic', value: 'x' }))
      .body.id;
    const credentials = (await admin.post('/secrets', registry())).body.id;
    assert.equal((await admin.post(`${version}/publish`)).status, 200);

    for (const id of [token, credentials]) {
      const refused = await admin.delete(`/secrets/${id}`);
      assert.deepEqual([refused.status, refused.body.code], [409, 'secret_in_use']);
      assert.match(refused.body.detail, /Needs it/);
      const { used_by } = (await admin.get(`/secrets/${id}`)).body;
      assert.deepEqual(used_by, [{ workflow_id: body.id, name: 'Needs it' }]);
    }
    const another = await admin.post('/workflows', { name: 'And it', graph });
    const published = `/workflows/workflow-versions/${another.body.latest_version_id}`;
    await admin.post(`${published}/publish`);
    const { body: refusal } = await admin.delete(`/secrets/${token}`);
    assert.match(refusal.detail, /"And it" and 1 more workflow need this secret/);
    await admin.post(`${published}/archive`);
    await admin.post('/secrets', { ...registry(), name: 'REGISTRY_2' });
    assert.deepEqual((await admin.get(`/secrets/${credentials}`)).body.used_by, []);
    assert.equal((await admin.delete(`/secrets/${credentials}`)).status, 204);
    await admin.post(`${version}/archive`);
    assert.equal((await admin.delete(`/secrets/${token}`)).status, 204);
  });
});
