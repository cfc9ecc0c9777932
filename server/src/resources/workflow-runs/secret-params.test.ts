import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf, look, run, stage, versionOf } from '../../../test/runs.ts';
import { startServer } from '../../../test/server.ts';
import { scriptedWorker } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

describe('a secret param', () => {
  const params = {
    type: 'object',
    properties: { token: { type: 'string', 'x-secret': true } },
    required: ['token'],
  };
  const graphWith = (definition: number) =>
    mappedGraph(definition, { params: { token: { $secret: 'API_TOKEN' } } });

  it('reaches the worker that runs the node, and no answer or row of the run', async () => {
    const { owner, admin, worker, server } = await stage();
    const version = await versionOf(owner, graphWith(await registerNode(owner, { params })));
    const { body: secret } = await admin.post('/secrets', {
      name: 'API_TOKEN',
      kind: 'generic',
      value: 'only-for-the-container',
    });
    const lastUsed = async () => (await admin.get(`/secrets/${secret.id}`)).body.last_used_at;
    assert.equal(await lastUsed(), undefined);

    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
    const [order] = await worker.acquire();

    assert.equal(order.params.token, 'only-for-the-container');
    assert.deepEqual(order.secrets, ['only-for-the-container']);
    assert.ok(Math.abs(Date.parse(await lastUsed()) - Date.now()) < 60_000);
    assert.doesNotMatch(JSON.stringify(await look(owner, body.workflow_run_id)), /only-for/);
    const rows = await server.services.db`
      select run::text as run, nodes::text as nodes
      from workflow_runs as run
      join node_runs as nodes on nodes.run_id = run.id
      where run.id = ${body.workflow_run_id}
    `;
    assert.doesNotMatch(JSON.stringify(rows), /only-for/);
  });

  it('that is deleted while the run waits fails the node in plain words', async () => {
    const { owner, admin, worker } = await stage();
    const version = await versionOf(owner, graphWith(await registerNode(owner, { params })));
    const secret = await admin.post('/secrets', {
      name: 'API_TOKEN',
      kind: 'generic',
      value: 'gone soon',
    });
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
    await admin.delete(`/secrets/${secret.body.id}`);

    assert.deepEqual(await worker.acquire(), []);

    const ended = await look(owner, body.workflow_run_id);
    assert.equal(ended.status, 'failure');
    assert.match(ended.error_message, /The secret API_TOKEN was deleted/);
  });

  it('in a command of an earlier release never reaches a worker', async () => {
    const { owner, admin, server } = await stage();
    const definition = await registerNode(owner, { params });
    const version = await versionOf(owner, graphWith(definition));
    await admin.post('/secrets', { name: 'API_TOKEN', kind: 'generic', value: 'not on a list' });
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });
    const command = ['--key={{params.token}}'];
    // Such a definition would be refused today, but existing ones never change.
    await server.services.db.transaction(async (tx) => {
      await tx`alter table node_definitions disable trigger user`;
      await tx`update node_definitions set command = ${tx.json(command)} where id = ${definition}`;
      await tx`alter table node_definitions enable trigger user`;
    });
    // A process that has cached the definition would not notice.
    const updated = await startServer({}, undefined, { beside: server });
    const worker = await scriptedWorker(updated, owner.user.tenant_id);

    assert.deepEqual(await worker.acquire(), []);

    const ended = await look(owner, body.workflow_run_id);
    assert.equal(ended.status, 'failure');
    assert.match(ended.error_message, /The command holds the secret param token/);
  });

  it('that nobody has stored is refused at the start', async () => {
    const { owner } = await stage();
    const version = await versionOf(owner, graphWith(await registerNode(owner, { params })));

    const { status, body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });

    assert.equal(status, 422);
    assert.equal(body.detail[0].type, 'unknown_secret');
  });
});

describe('a secret that is replaced while attempts start', () => {
  it('reaches each attempt whole, old or new, and the node run says which version it was', async () => {
    const { owner, admin, worker } = await stage();
    const params = {
      type: 'object',
      properties: { token: { type: 'string', 'x-secret': true } },
      required: ['token'],
    };
    const definition = await registerNode(owner, { params });
    const graph = mappedGraph(definition, { params: { token: { $secret: 'API_TOKEN' } } });
    const version = await versionOf(owner, graph);
    const value = (number: number) => `value-${number}-${'x'.repeat(200)}`;
    const secret = { name: 'API_TOKEN', kind: 'generic', value: value(1) };
    const { id } = (await admin.post('/secrets', secret)).body;
    const names = Array.from({ length: 100 }, (_, at) => `${at}`);
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, ...names) });

    const replacing = (async () => {
      for (let number = 2; number <= 10; number += 1)
        await admin.put(`/secrets/${id}`, { value: value(number) });
    })();
    const orders = await worker.work((order) => worker.fail(order));
    await replacing;

    assert.equal(orders.length, 100);
    const { node_runs } = await look(owner, body.workflow_run_id);
    // biome-ignore lint/suspicious/noExplicitAny: what the server really sent
    const shown = new Map(node_runs.map((one: any) => [one.shard_index, one.secrets]));
    for (const { shard_index, params } of orders) {
      const [given] = shown.get(shard_index) as {
        attempt: number;
        name: string;
        version: number;
      }[];
      assert.deepEqual([given?.attempt, given?.name], [1, 'API_TOKEN']);
      assert.equal(params.token, value(given?.version ?? 0));
    }
    // The credentials of the registry are the other one.
    assert.equal(node_runs[0].secrets.length, 2);
  });
});
