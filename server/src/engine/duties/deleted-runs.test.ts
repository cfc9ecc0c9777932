import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  filesOf,
  gatherGraph,
  look,
  run,
  type Stage,
  stage,
  versionOf,
} from '../../../test/runs.ts';
import { collectDeadObjects, collectReleased } from '../../objects/objects.ts';
import { removeDeletedOutputs } from './deleted-runs.ts';

/** A run of two nodes that has succeeded: `keys` of what its nodes produced, by node. */
async function endedRun({ owner, worker, server }: Stage) {
  const version = await versionOf(owner, await gatherGraph(owner));
  const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a', 'b') });
  for (let done = 0; done < 3; ) {
    for (const order of await worker.acquire()) {
      await worker.succeed(order);
      done += 1;
    }
  }
  const keys = await server.services.db<{ node_key: string; key: string }[]>`
    select node.node_key, objects.key
    from node_run_outputs as output
    join objects on objects.id = output.object_id
    join begun_node_runs as node on node.id = output.node_run_id
    where output.run_id = ${body.workflow_run_id}
    order by output.id
  `;
  return { id: body.workflow_run_id as number, keys };
}

async function removeAll({ server }: Stage) {
  const { db, storage } = server.services;
  while ((await removeDeletedOutputs(db, 1)) > 0);
  while ((await collectReleased(db, new Date(), 100)) > 0);
  await collectDeadObjects({ db, storage }, new Date(), 100);
}

const storedOf = async ({ server }: Stage, keys: readonly { node_key: string; key: string }[]) => {
  const stored: string[] = [];
  for (const { node_key, key } of keys) {
    if (await server.services.storage.stat(key)) stored.push(node_key);
  }
  return stored;
};

describe('the results of a deleted run', () => {
  it('are removed, except for those that became files', async () => {
    const people = await stage();
    const { owner } = people;
    const { id, keys } = await endedRun(people);
    const [file] = (await look(owner, id)).run_files.filter(
      (one: { direction: string }) => one.direction === 'output',
    );
    assert.deepEqual(await storedOf(people, keys), ['each', 'each', 'gather']);
    await removeAll(people);
    assert.deepEqual(await storedOf(people, keys), ['each', 'each', 'gather']);

    await owner.delete(`/workflows/workflow-runs/${id}`);
    await removeAll(people);

    assert.deepEqual(await storedOf(people, keys), ['gather']);
    assert.equal((await owner.fetch(`/cogs/${file.cog_id}/download`)).status, 200);
  });

  it('stay until a restart that may reuse them has ended', async () => {
    const people = await stage();
    const { owner } = people;
    const { id, keys } = await endedRun(people);
    const path = `/workflows/workflow-runs/${id}`;
    const { body } = await owner.post(`${path}/restart`, { mode: 'all' });
    await owner.delete(path);

    await removeAll(people);
    assert.deepEqual(await storedOf(people, keys), ['each', 'each', 'gather']);

    await owner.post(`/workflows/workflow-runs/${body.workflow_run_id}/cancel`, {});
    await removeAll(people);
    assert.deepEqual(await storedOf(people, keys), ['gather']);
  });
});
