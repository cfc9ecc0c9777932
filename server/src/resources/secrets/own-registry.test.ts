import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cast, cast, client } from '../../../test/cast.ts';
import { basic } from '../../../test/dav.ts';
import { pushImage, registryClient, registryClientWith } from '../../../test/registry.ts';
import { scriptedWorker } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';
import { authenticatePullers, pullCredentials } from '../registry/pull-credentials.ts';
import { keepOwnRegistry, readCredentials } from './secrets.ts';

const hostOf = ({ server }: Pick<Cast, 'server'>) => new URL(server.url).host;

async function managed({ admin }: Pick<Cast, 'admin'>) {
  const { body } = await admin.get('/secrets');
  return body.find((secret: { is_managed: boolean }) => secret.is_managed);
}

describe("the secret for the installation's own registry", () => {
  it('is there from the start, and names the server', async () => {
    const people = await cast();
    const { body } = await people.viewer.get('/secrets');

    assert.equal(body.length, 1);
    const { name, kind, server, is_managed } = body[0];
    assert.deepEqual(
      { name, kind, server, is_managed },
      { name: 'COGWORKS_REGISTRY', kind: 'registry', server: hostOf(people), is_managed: true },
    );
  });

  it('cannot be changed or deleted, also by admins', async () => {
    const people = await cast();
    const { admin, viewer } = people;
    const { id } = await managed(people);
    const value = { server: hostOf(people), username: 'me', password: 'mine' };

    for (const refused of [
      await admin.put(`/secrets/${id}`, { value }),
      await admin.delete(`/secrets/${id}`),
    ]) {
      assert.deepEqual([refused.status, refused.body.code], [409, 'secret_managed']);
    }
    assert.equal((await viewer.delete(`/secrets/${id}`)).status, 403);
  });

  it('lets a run use an image from there, and its worker pull that and nothing else', async () => {
    const people = await cast();
    const { server, owner, stranger } = people;
    const tenantId = owner.user.tenant_id;
    const registry = await registryClient(server, owner);
    const name = `t${tenantId}/tool`;
    const { text } = await pushImage(registry, name, '1');
    const strangers = `t${stranger.user.tenant_id}/tool`;
    await pushImage(await registryClient(server, stranger), strangers, '1');
    const image = `${hostOf(people)}/${name}:1`;
    const definition = await registerNode(owner, { image });
    const { body: workflow } = await owner.post('/workflows', {
      name: 'Own image',
      graph: mappedGraph(definition),
    });
    const file = (await owner.upload('a.txt', 'a')).body.id;
    const started = await owner.post(
      `/workflows/workflow-versions/${workflow.latest_version_id}/run`,
      { cog_ids: [file] },
    );
    assert.equal(started.status, 202);

    const worker = await scriptedWorker(server, tenantId);
    const [order] = await worker.acquire();
    assert.equal(order.image, image);
    assert.equal(order.registry.server, hostOf(people));
    const { username, password } = order.registry;
    const puller = registryClientWith(server, basic(password, username));

    const got = await puller('GET', `${name}/manifests/1`);
    assert.deepEqual([got.status, got.text], [200, text]);
    assert.equal((await puller('GET', `${strangers}/manifests/1`)).code, 'NAME_UNKNOWN');
    for (const [method, path] of [
      ['POST', `${name}/blobs/uploads/`],
      ['PUT', `${name}/manifests/1`],
      ['DELETE', `${name}/manifests/1`],
    ] as const) {
      const refused = await puller(method, path);
      assert.deepEqual([refused.status, refused.code], [403, 'DENIED']);
    }
    const asUser = client(server.url, password);
    assert.equal((await asUser.get('/me')).status, 401);
    const asKey = client(server.url);
    const headers = { 'x-api-key': password };
    assert.equal((await asKey.get('/me', { headers })).status, 401);
    assert.ok((await managed(people)).last_used_at);
  });

  it('is found by a name that stays when the address changes', async () => {
    const people = await cast();
    const { server, owner } = people;
    const tenantId = owner.user.tenant_id;
    const image = `cogworks.internal/t${tenantId}/tool:1`;
    const definition = await registerNode(owner, { image });
    const { body: workflow } = await owner.post('/workflows', {
      name: 'Own image',
      graph: mappedGraph(definition),
    });
    const file = (await owner.upload('a.txt', 'a')).body.id;
    const run = `/workflows/workflow-versions/${workflow.latest_version_id}/run`;
    assert.equal((await owner.post(run, { cog_ids: [file] })).status, 202);

    const worker = await scriptedWorker(server, tenantId);
    const [order] = await worker.acquire();

    assert.equal(order.image, `${hostOf(people)}/t${tenantId}/tool:1`);
    assert.equal(order.registry.server, hostOf(people));
  });

  it('makes credentials that are of no use after two hours, nor changed', async () => {
    const { server, owner } = await cast();
    const { keys } = server.services;
    const tenantId = owner.user.tenant_id;
    const { password } = pullCredentials(keys, tenantId);
    const pullerOf = authenticatePullers(server.services);
    const later = new Date(Date.now() + 2 * 3600 * 1000 + 1000);

    assert.equal(pullerOf(password), tenantId);
    assert.equal(pullerOf('sk_another_kind'), undefined);
    assert.throws(() => pullerOf(password, later), { problem: 'unauthenticated' });
    for (const wrong of [
      password.replace(`_${tenantId}_`, `_${tenantId + 1}_`),
      `${password}x`,
      password.slice(0, -2),
      'cwp_1_1_x',
    ]) {
      const refused = await registryClientWith(server, basic(wrong))('GET', '');
      assert.deepEqual([refused.status, refused.code], [401, 'UNAUTHORIZED']);
    }
  });

  it('follows the URL of the installation, also for new tenants, and stays one', async () => {
    const people = await cast();
    const { server } = people;
    const { db } = server.services;
    try {
      await keepOwnRegistry(db, 'https://Cogworks.example:443/');
      assert.equal((await managed(people)).server, 'cogworks.example');
      const later = await cast();
      assert.equal((await managed(later)).server, 'cogworks.example');
    } finally {
      await keepOwnRegistry(db, server.url);
    }
    assert.equal((await managed(people)).server, hostOf(people));
  });

  it('is preferred to one that a tenant has stored for the same server', async () => {
    const people = await cast();
    const { admin } = people;
    const value = { server: hostOf(people), username: 'me', password: 'mine' };
    const stored = await admin.post('/secrets', { name: 'MINE', kind: 'registry', value });
    assert.equal(stored.status, 201);

    const { engineDb: db, readDb: lookups, keys } = people.server.services;
    const wanted = { servers: [hostOf(people)], names: [] };
    const read = await readCredentials(
      { db, lookups, taken: lookups, keys },
      admin.user.tenant_id,
      wanted,
    );
    assert.equal(read.registry(hostOf(people))?.username, 'cogworks');
    assert.equal((await admin.delete(`/secrets/${stored.body.id}`)).status, 204);
    assert.equal((await managed(people)).server, hostOf(people));
  });
});
