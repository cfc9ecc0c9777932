import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesOf, look, run, stage, versionOf } from '../../../test/runs.ts';
import { storedKeys } from '../../../test/trash.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';
import { collectDeadObjects, collectReleased } from '../../objects/objects.ts';
import { removePurged } from '../cogs/trash.ts';

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
});
