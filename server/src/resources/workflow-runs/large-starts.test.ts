import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Client } from '../../../test/cast.ts';
import { folderOfFiles, look, run, stage, versionOf } from '../../../test/runs.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

const key = () => ({ headers: { 'idempotency-key': randomUUID() } });
const runPath = (version: number) => `/workflows/workflow-versions/${version}/run`;
const megabyte = 1_000_000;

async function mappedVersion(client: Client) {
  return versionOf(client, mappedGraph(await registerNode(client)));
}

describe('a start over very many files', () => {
  it('waits for its turn without a connection, also with a key', async () => {
    const { owner, server } = await stage();
    const { largeWrites } = server.services;
    const version = await mappedVersion(owner);
    const cog_ids = [await folderOfFiles(server, owner, 501)];
    const { tenant_id, id: user_id } = owner.user;
    const end = await largeWrites.take({ tenant_id, user_id }, new AbortController().signal);

    const starts = Array.from({ length: 12 }, () =>
      owner.post(runPath(version), { cog_ids }, key()),
    );
    // More than the pool has connections: were they held, the last of these would not be answered.
    for (let at = 0; at < 30; at += 1) {
      const { status } = await owner.post('/cogs', { name: `${at}`, cog_type: 'asset_folder' });
      assert.equal(status, 201);
    }
    end();
    const answers = await Promise.all(starts);

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
    const ids = new Set(answers.map(({ body }) => body.workflow_run_id));
    assert.equal(ids.size, 12);
  });

  it('is made once for its key', async () => {
    const { owner, server } = await stage();
    const version = await mappedVersion(owner);
    const cog_ids = [await folderOfFiles(server, owner, 501)];
    const extra = key();

    const [first, second] = await Promise.all([
      owner.post(runPath(version), { cog_ids }, extra),
      owner.post(runPath(version), { cog_ids }, extra),
    ]);

    assert.deepEqual([first.status, second.status], [202, 202]);
    assert.deepEqual(first.body, second.body);
  });

  it('may name a hundred thousand of them, and no more', async () => {
    const { owner } = await stage();
    const version = await mappedVersion(owner);
    const named = (count: number) => ({
      cog_ids: Array.from({ length: count }, (_, at) => 900_000_000 + at),
    });

    const unknown = await run(owner, version, named(100_000));
    const many = await run(owner, version, named(100_001));
    const values = await run(owner, version, {
      cog_ids: [],
      extra_variables: { list: Array.from({ length: 110_000 }, () => 0) },
    });

    assert.deepEqual([unknown.status, many.status, values.status], [404, 422, 413]);
    assert.equal(many.body.detail[0].type, 'maxItems');
  });

  it('refuses a folder that holds more, and one in a folder that is given as well is no more', async () => {
    const { owner, server } = await stage();
    const { db } = server.services;
    const version = await mappedVersion(owner);
    const inner = await folderOfFiles(server, owner, 1010);
    const outer = (await owner.post('/cogs', { name: 'outer', cog_type: 'asset_folder' })).body.id;
    await owner.patch(`/cogs/${inner}`, { parent_id: outer });

    const twice = await run(owner, version, { cog_ids: [outer, inner] });
    const { run_files_total } = await look(owner, twice.body.workflow_run_id);
    // In portions, so that none takes long.
    for (let copy = 1; copy < 100; copy += 1) {
      await db`
        insert into cogs
          (tenant_id, parent_id, name, cog_type, owner_id, object_id, size_bytes, mime_type, version)
        select tenant_id, ${inner}, name || ' ' || ${copy}::int, cog_type, owner_id, object_id,
          size_bytes, mime_type, version
        from cogs
        where parent_id = ${inner} and name not like '% %'
      `;
    }
    const refused = await run(owner, version, { cog_ids: [outer] });

    assert.deepEqual(run_files_total, { input: 1010, output: 0 });
    assert.equal(refused.status, 422);
    assert.equal(refused.body.detail[0].type, 'too_many_files');
  });

  it('begins a run of a hundred thousand lanes, none of whose answers is over a megabyte', async () => {
    const { owner, server, worker } = await stage();
    const version = await mappedVersion(owner);
    const cog_ids = [await folderOfFiles(server, owner, 100_000)];
    const started = await run(owner, version, { cog_ids });
    const path = `/workflows/workflow-runs/${started.body.workflow_run_id}`;
    const orders = await worker.acquire(2);
    const last = `limit=1000&offset=99000`;

    assert.equal(started.status, 202, JSON.stringify(started.body));
    assert.deepEqual(
      orders.map(({ inputs }) => inputs[0].name),
      ['000001.txt', '000002.txt'],
    );
    for (const one of [
      path,
      `${path}/progress`,
      `${path}/node-runs?${last}`,
      `${path}/files?${last}`,
      `${path}/grid?${last}`,
    ]) {
      const { status, body } = await owner.get(one);
      assert.equal(status, 200, `${one}: ${JSON.stringify(body).slice(0, 300)}`);
      const bytes = JSON.stringify(body).length;
      assert.ok(bytes < megabyte, `${one}: ${bytes}`);
    }
    const cancelled = await owner.post(`${path}/cancel`, {});
    assert.ok(JSON.stringify(cancelled.body).length < megabyte);
    assert.deepEqual(cancelled.body.run_files_total, { input: 100_000, output: 0 });
  });
});
