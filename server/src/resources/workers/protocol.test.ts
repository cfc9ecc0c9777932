import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { client } from '../../../test/cast.ts';
import { filesOf, look, run, stage, versionOf } from '../../../test/runs.ts';
import type { Order } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

describe('the worker protocol', () => {
  it('takes a report of ten thousand outputs', async () => {
    const { owner, worker } = await stage();
    const definition = await registerNode(owner, {
      outputs: [{ name: 'out', glob: '*', cardinality: 'many' }],
    });
    await startOver(owner, definition);
    const [order] = await worker.acquire();
    const outputs = Array.from({ length: 10_000 }, (_, index) => ({
      port: 'out',
      name: `${'long-'.repeat(40)}${index}`,
      object_id: 1_000_000 + index,
      size_bytes: 1,
      checksum_sha256: 'a'.repeat(64),
    }));

    const { status } = await worker.complete(order, { status: 'success', exit_code: 0, outputs });

    assert.equal(status, 204);
  });

  it('counts what the storage holds, by whatever way it came there', async () => {
    const { owner, worker, server } = await stage();
    const { db, storage } = server.services;
    const runId = await startOver(owner, await registerNode(owner));
    // As with a bucket: the bytes are uploaded, and no route of ours sees them.
    const uploaded = async (order: Order, bytes: string) => {
      const { body } = await client(server.url, worker.token).post(
        `/workers/${worker.id}/attempts/${order.attempt_id}/uploads`,
        { lease_token: order.lease_token, files: [{ size_bytes: bytes.length }] },
      );
      const [object] = await db<{ key: string }[]>`
        select key from objects where id = ${body[0].object_id}
      `;
      await storage.write(object?.key ?? '', Readable.from([Buffer.from(bytes)]));
      return body[0].object_id;
    };
    const report = (order: Order, object_id: number, said: string) =>
      worker.complete(order, {
        status: 'success',
        exit_code: 0,
        outputs: [{ ...stored(said), port: 'out', name: 'out.txt', object_id }],
      });

    const [first] = await worker.acquire();
    await report(first, await uploaded(first, 'other'), 'bytes');
    const [attempt] = await db`select error_class from attempts where run_id = ${runId}`;
    await db`update ready_queue set not_before = now() where run_id = ${runId}`;
    const [second] = await worker.acquire();
    await report(second, await uploaded(second, 'bytes'), 'bytes');

    assert.equal(attempt?.error_class, 'output_upload');
    const ended = await look(owner, runId);
    assert.equal(ended.status, 'success', ended.error_message);
    const result = ended.run_files.find((file: Order) => file.direction === 'output');
    const { body } = await owner.get(`/cogs/${result.cog_id}/download`);
    assert.equal(body, 'bytes');
  });

  it('is given only work that it can do, and what waits for another says so', async () => {
    const { owner, worker, server } = await stage();
    const started = await worker.start({ features: [] });
    const definition = await registerNode(owner, { network: 'egress' });
    const version = await versionOf(owner, mappedGraph(definition));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a') });

    assert.deepEqual(await started.acquire(), []);

    const [waiting] = (await look(owner, body.workflow_run_id)).node_runs;
    assert.equal(waiting.status, 'queued');
    assert.equal(waiting.queue_reason, 'no worker online offers network egress');

    const able = await started.start({ features: ['egress'] });
    const [order] = await able.acquire();
    assert.equal(order?.network, 'egress');
    await able.fail(order, { error_class: 'infrastructure', error_message: 'no tun' });
    const unable = await able.start({ features: [] });
    await server.services.db`update ready_queue set not_before = now()`;
    assert.deepEqual(await unable.acquire(), []);
  });

  it('keeps a log once, whatever a worker says of where its pieces begin', async () => {
    const { owner, server, worker } = await stage();
    const runId = await startOver(owner, await registerNode(owner));
    const [order] = await worker.acquire();
    const api = client(server.url, worker.token);
    const send = (start_offset: number, text: string) =>
      api.post(`/workers/${worker.id}/attempts/${order.attempt_id}/logs`, {
        lease_token: order.lease_token,
        start_offset,
        data: Buffer.from(text).toString('base64'),
      });

    await send(0, 'one ');
    for (const offset of [0, 1, 2, 3]) assert.equal((await send(offset, 'again ')).status, 204);
    assert.equal((await send(5, 'gap')).status, 409);
    await send(4, 'two');

    const path = `/workflows/workflow-runs/${runId}/node-runs`;
    const [{ id }] = (await owner.get(path)).body;
    assert.equal((await owner.get(`${path}/${id}/logs`)).body, 'one two');
  });

  it('takes back what a worker holds without knowing, because its order was lost with an answer', async () => {
    const { owner, server, worker } = await stage();
    const runId = await startOver(owner, await registerNode(owner));
    const [order] = await worker.acquire();
    const { db } = server.services;

    await worker.heartbeat([]);
    assert.deepEqual(await worker.acquire(), [], 'it may still be on its way');
    await db`update attempts set leased_at = now() - interval '11 seconds' where id = ${order.attempt_id}`;
    await worker.heartbeat([order]);
    assert.deepEqual(await worker.acquire(), [], 'the worker knows of it');
    await worker.heartbeat([]);

    const [again] = await worker.acquire();
    assert.equal(again.run_id, runId);
    const late = await worker.complete(order, { status: 'success', exit_code: 0 });
    assert.equal(late.status, 409);
    assert.equal((await worker.succeed(again)).status, 204);
    const [before] = await db`select error_class from attempts where id = ${order.attempt_id}`;
    assert.equal(before?.error_class, 'evicted');
  });

  it('fails one attempt whose order cannot be put together, and says so', async () => {
    const { admin, owner, server, worker } = await stage();
    const runId = await startOver(owner, await registerNode(owner));
    // As after the loss of a key: the value exists, but cannot be decrypted.
    await server.services.db`
      update secrets set sealed_value = sealed_value || '\\x00'::bytea
      where tenant_id = ${admin.user.tenant_id}
    `;

    const orders = await worker.acquire();

    assert.deepEqual(orders, []);
    const [nodeRun] = (await owner.get(`/workflows/workflow-runs/${runId}`)).body.node_runs;
    assert.equal(nodeRun.status, 'queued');
    assert.match(
      nodeRun.queue_reason,
      /^the server could not put together what the container needs, next try in \d s$/,
    );
    const [attempt] = await server.services.db`
      select status, error_class, error_message from attempts where run_id = ${runId}
    `;
    assert.deepEqual(
      { ...attempt },
      {
        status: 'failure',
        error_class: 'infrastructure',
        error_message: 'The server could not put together what the container needs.',
      },
    );
  });
});

const stored = (text: string) => ({
  size_bytes: Buffer.byteLength(text),
  checksum_sha256: createHash('sha256').update(text).digest('hex'),
});

async function startOver(owner: Awaited<ReturnType<typeof stage>>['owner'], definition: number) {
  const cog = await owner.upload('a.txt', 'a');
  const { body } = await owner.post('/workflows', {
    name: 'Protocol',
    graph: mappedGraph(definition),
  });
  const path = `/workflows/workflow-versions/${body.latest_version_id}/run`;
  const started = await owner.post(path, { cog_ids: [cog.body.id] });
  return started.body.workflow_run_id as number;
}
