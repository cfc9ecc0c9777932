/** Two server processes on one database: an event in one wakes workers that wait at the other. */
import assert from 'node:assert/strict';
import { before, beforeEach, describe, it, type TestContext } from 'node:test';
import { type Client, client } from '../../../test/cast.ts';
import { untilHeard } from '../../../test/heard.ts';
import { filesOf, look, run, type Stage, stage, versionOf } from '../../../test/runs.ts';
import { startServer, type TestServer } from '../../../test/server.ts';
import { roomOfWorker, waitAt, withoutFallback } from '../../../test/waiting-workers.ts';
import { scriptedWorker } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';

describe('a worker that waits for work at another process', () => {
  let other: TestServer;
  let people: Stage;
  let files: number[];
  before(async () => {
    people = await stage();
    files = await filesOf(people.owner, 'a', 'b', 'c', 'd');
    other = await startServer({}, undefined, { beside: people.server });
    await untilHeard(other);
  });
  beforeEach((t) => withoutFallback(t as TestContext));

  it('gets what is started here', async () => {
    const { owner, worker } = people;
    const waits = await waitAt(other, worker);

    const runId = await startOver(owner, files.slice(0, 1));

    const { leases } = await waits.answer;
    assert.deepEqual(
      leases.map(({ state }) => state.run.id),
      [runId],
    );
    const { id, lease_token } = leases[0]?.attempt ?? {};
    await worker.succeed({ attempt_id: id, lease_token });
    assert.equal((await look(owner, runId)).status, 'success', 'whichever process is told');
  });

  it('gets what another worker gives back here', async () => {
    const { owner, server, worker } = people;
    const runId = await startOver(owner, files.slice(0, 1));
    const [order] = await worker.acquire();
    const waiting = await scriptedWorker(server, owner.user.tenant_id);
    const waits = await waitAt(other, waiting);

    await worker.complete(order, { status: 'cancelled' });

    const { leases } = await waits.answer;
    assert.deepEqual(
      leases.map(({ state, attempt }) => [state.run.id, attempt.number]),
      [[runId, 2]],
    );
  });

  it('hears that it is drained here, and waits no longer', async () => {
    const { admin, owner, server } = people;
    const worker = await scriptedWorker(server, owner.user.tenant_id);
    const waits = await waitAt(other, worker);

    assert.equal((await admin.post(`/workers/${worker.id}/drain`)).status, 200);

    assert.deepEqual(await waits.answer, { leases: [], standing: 'away' });
  });

  it('is refused once a newer process with its identity has started here', async () => {
    const { owner, server } = people;
    const worker = await scriptedWorker(server, owner.user.tenant_id);
    const first = await worker.start();
    const polled = client(other.url, first.token).post(`/workers/${worker.id}/acquire`, {
      ...{ free: roomOfWorker, max: 1, wait_seconds: 25 },
    });
    const waits = await waitAt(other, first);

    await worker.start();

    assert.equal((await waits.answer).standing, 'superseded');
    const { status, body } = await polled;
    assert.deepEqual([status, body.code], [409, 'superseded']);
  });

  it('is one of two that get different work, however much they ask', async () => {
    const { owner, server } = people;
    const workers = await Promise.all(
      Array.from({ length: 4 }, () => scriptedWorker(server, owner.user.tenant_id)),
    );
    const waits = await Promise.all(
      workers.map((worker, at) => waitAt(at % 2 === 0 ? other : server, worker)),
    );

    await startOver(owner, files);

    const leases = (await Promise.all(waits.map(({ answer }) => answer))).flatMap(
      (answer) => answer.leases,
    );
    assert.deepEqual(leases.map(({ row }) => row.shard_index).sort(), [0, 1, 2, 3]);
  });
});

/** Starts a run of one node, mapped over the files. */
async function startOver(owner: Client, cog_ids: number[]): Promise<number> {
  const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
  const { body } = await run(owner, version, { cog_ids });
  return body.workflow_run_id;
}
