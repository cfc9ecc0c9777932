import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf, look, run, stage, versionOf } from '../../../test/runs.ts';
import { storedKeys } from '../../../test/trash.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';
import { collectDeadObjects, collectReleased } from '../../objects/objects.ts';
import { removePurged } from '../cogs/trash/trash.ts';

describe('an input that is removed for ever', () => {
  it('keeps its bytes until the runs that need them have ended, and its record after that', async () => {
    const { owner, worker, server } = await stage();
    const { db, storage } = server.services;
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const [id = 0] = await filesOf(owner, 'input');
    const [key = ''] = await storedKeys(db, [id]);
    const { body } = await run(owner, version, { cog_ids: [id] });
    const collect = async (now: Date) => {
      while ((await removePurged(db, 100)) > 0);
      await collectReleased(db, now, 100);
      await collectDeadObjects({ db, storage }, new Date(), 100);
    };

    await owner.delete(`/cogs/${id}`);
    await owner.delete(`/cogs/${id}?permanent=true`);
    await collect(new Date());

    assert.ok(await storage.stat(key));
    const [order] = await worker.acquire();
    const input = await fetch(order.inputs[0].url);
    assert.equal(await input.text(), 'bytes of input');
    await worker.succeed(order);
    await collect(new Date(Date.now() + 11 * 60_000));
    assert.equal(await storage.stat(key), undefined);
    const shown = await look(owner, body.workflow_run_id);
    const [file] = shown.run_files;
    assert.equal(file.name, 'input');
    assert.equal(file.status, 'success');
    assert.match(file.checksum_sha256, /^[0-9a-f]{64}$/);
    const path = `/workflows/workflow-runs/${body.workflow_run_id}/restart`;
    assert.equal((await owner.post(path, { mode: 'all' })).status, 404);
  });

  it('refuses a start that was checked before it was removed', async () => {
    const { owner, server } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const [id = 0, other = 0] = await filesOf(owner, 'removed meanwhile', 'other');
    // What the start finds once the file was removed after its checks.
    const become = (state: string) => server.services.db`
      update objects set state = ${state}
      where id = (select object_id from cogs where id = ${id})
    `;
    await become('dead');

    const headers = { headers: { 'idempotency-key': 'apart' } };
    const path = `/workflows/workflow-versions/${version}/run`;
    const [refused, alone, started] = await Promise.all([
      run(owner, version, { cog_ids: [id] }),
      owner.post(path, { cog_ids: [id, other] }, headers),
      run(owner, version, { cog_ids: [other] }),
    ]);

    await become('live');
    assert.deepEqual([refused.status, alone.status, started.status], [404, 404, 202]);
    assert.deepEqual(
      (await owner.get('/workflows/workflow-runs')).body.map((one: { id: number }) => one.id),
      [started.body.workflow_run_id],
    );
  });

  it('cannot be an input of a restart, though a later version of the file is there', async () => {
    const { owner, worker, server } = await stage();
    const { db, storage } = server.services;
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const [id = 0] = await filesOf(owner, 'changed');
    const { body } = await run(owner, version, { cog_ids: [id] });
    const [order] = await worker.acquire();
    await worker.succeed(order);
    const form = new FormData();
    form.append('file', new Blob(['later']), 'changed');
    await owner.fetch(`/cogs/${id}/content`, { method: 'POST', body: form });
    await owner.delete(`/cogs/${id}/versions/1`);
    while ((await collectReleased(db, new Date(), 100)) > 0);
    await collectDeadObjects({ db, storage }, new Date(), 100);

    const path = `/workflows/workflow-runs/${body.workflow_run_id}/restart`;
    const { status, body: refusal } = await owner.post(path, { mode: 'all' });

    assert.equal(status, 404);
    assert.match(refusal.detail, /removed for ever/);
  });
});
