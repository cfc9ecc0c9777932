import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { client } from '../../../test/cast.ts';
import { filesOf, look, stage as people, run, versionOf } from '../../../test/runs.ts';
import { sweepInPeace } from '../../../test/sweeps.ts';
import type { ScriptedWorker } from '../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../test/workflows.ts';
import { type ProcessState, standingOf } from './standing.ts';

describe('where a process of a worker stands', () => {
  const working: ProcessState = { last_epoch: 7, epoch: 7, is_gone: false };
  const gone: ProcessState = { ...working, is_gone: true };
  const old: ProcessState = { last_epoch: 0, is_gone: false };
  const undone: ProcessState = { last_epoch: 7, is_gone: false };
  const cases: [string, ProcessState, number | undefined, string][] = [
    ['the newest', working, 7, 'current'],
    ['the newest after a silence', gone, 7, 'current'],
    ['an older one', working, 6, 'superseded'],
    ['an older one, when the newest is gone', gone, 6, 'superseded'],
    ['one that never started', working, 8, 'unknown'],
    ['one without epochs, among its like', old, undefined, 'current'],
    ['one with an epoch where none was given out', old, 1, 'unknown'],
    ['one without epochs, beside one that works', working, undefined, 'superseded'],
    ['one without epochs, after the others are gone', gone, undefined, 'current'],
    ['one with an epoch, after the program was set back', undone, 7, 'superseded'],
  ];
  for (const [who, worker, epoch, standing] of cases) {
    it(`${standing}: ${who}`, () => assert.equal(standingOf(worker, epoch), standing));
  }
});

describe('a second process with the identity of a worker', () => {
  it('takes nothing from the first, which is told and gives back what it holds', async () => {
    const { first, order, runId, owner } = await stage();

    const second = await first.start();

    assert.deepEqual(await second.acquire(), []);
    const told = await first.heartbeat([order]);
    assert.deepEqual([told.status, told.body.code], [409, 'superseded']);
    const back = { status: 'failure', error_class: 'evicted' };
    assert.equal((await first.complete(order, back)).status, 204);
    const [again] = await second.acquire();
    assert.equal(again.run_id, order.run_id);
    await second.succeed(again);
    assert.equal((await look(owner, runId)).status, 'success');
  });

  it('lets a result count that the first had when it was told', async () => {
    const { first, order, runId, owner } = await stage();
    const outputs = await first.upload(order, [{ port: 'out', name: 'a', text: 'a' }]);

    await first.start();

    const report = { status: 'success', exit_code: 0, outputs };
    assert.equal((await first.complete(order, report)).status, 204);
    assert.equal((await look(owner, runId)).status, 'success');
  });

  it('gets what the first holds when that says nothing any more', async () => {
    const { first, order, db, sweep } = await stage();
    const second = await first.start();
    const [{ seconds }] = (await db`
      select extract(epoch from lease_expires_at - now())::float8 as seconds
      from attempts where id = ${order.attempt_id}
    `) as unknown as [{ seconds: number }];
    assert.ok(seconds <= 20, `the lease ends in ${seconds} s`);
    await db`update attempts set lease_expires_at = now() - interval '1 second' where id = ${order.attempt_id}`;

    await sweep();

    assert.equal((await second.acquire()).length, 1);
    const late = await first.complete(order, { status: 'failure', error_class: 'evicted' });
    assert.deepEqual([late.status, late.body.code], [409, 'lease_lost']);
  });

  it('gets it at once when it knows that the first is gone', async () => {
    const { first, order } = await stage();

    const second = await first.start({ ended_epoch: first.epoch });

    assert.equal((await second.acquire())[0].run_id, order.run_id);
  });

  it('does not when it speaks of another one', async () => {
    const { first } = await stage();
    const second = await first.start();

    const third = await second.start({ ended_epoch: first.epoch });

    assert.deepEqual(await third.acquire(), []);
  });

  it('shuts the first out of everything but its reports', async () => {
    const { first, order, url } = await stage();
    await first.start();
    const api = client(url, first.token);
    const { lease_token } = order;
    const free = { cpu: 1, memory_mb: 1, gpu: 0, disk_mb: 1 };
    const attempt = `/workers/${first.id}/attempts/${order.attempt_id}`;

    for (const [path, body] of [
      [`/workers/${first.id}/acquire`, { free, max: 1 }],
      [`${attempt}/started`, { lease_token }],
      [`${attempt}/uploads`, { lease_token, files: [{ size_bytes: 1 }] }],
      [`${attempt}/logs`, { lease_token, start_offset: 0, data: '' }],
    ] as const) {
      const { status, body: answer } = await api.post(path, body);
      assert.deepEqual([status, answer.code], [409, 'superseded'], path);
    }
  });

  it('ends what the first waits for, before there is work', async () => {
    const { first, url, owner, version } = await stage();
    const free = { cpu: 8, memory_mb: 16_384, gpu: 0, disk_mb: 100_000 };
    const waiting = client(url, first.token).post(`/workers/${first.id}/acquire`, {
      free,
      max: 1,
      wait_seconds: 25,
    });
    const second = await first.start({ ended_epoch: first.epoch });
    await second.acquire();
    await run(owner, version, { cog_ids: await filesOf(owner, 'b.txt') });

    const { status, body } = await waiting;

    assert.deepEqual([status, body.code], [409, 'superseded']);
    assert.equal((await second.acquire()).length, 1);
  });

  it('is the only one of many that start at once', async () => {
    const { first } = await stage();
    const started = await Promise.all(Array.from({ length: 8 }, () => first.start()));

    const answers = await Promise.all(started.map((process) => process.heartbeat()));

    const working = started.filter((_, index) => answers[index]?.status === 200);
    assert.deepEqual(
      working.map(({ epoch }) => epoch),
      [Math.max(...started.map(({ epoch = 0 }) => epoch))],
    );
  });
});

describe('a worker of a release without epochs', () => {
  it('goes on until a newer program starts, and may come back when that is gone', async () => {
    const { worker } = await people();
    const statusOf = async (one: ScriptedWorker) => (await one.heartbeat()).status;
    assert.equal(await statusOf(worker), 200);

    const newer = await worker.start();
    assert.equal(await statusOf(worker), 409);
    await newer.stop();

    assert.equal(await statusOf(worker), 200);
    assert.equal(await statusOf(newer), 409);
  });
});

describe('a worker that stops', () => {
  it('is offline at once, and online when it starts again', async () => {
    const { worker, admin } = await people();
    const status = async () => (await admin.get(`/workers/${worker.id}`)).body.status;
    const first = await worker.start();
    assert.equal(await status(), 'online');

    assert.equal((await first.stop()).status, 204);

    assert.equal(await status(), 'offline');
    await first.start();
    assert.equal(await status(), 'online');
  });

  it('does not put its successor offline', async () => {
    const { worker, admin } = await people();
    const first = await worker.start();
    await first.start();

    await first.stop();

    assert.equal((await admin.get(`/workers/${worker.id}`)).body.status, 'online');
  });

  it('leaves work waiting for a worker, and says so', async () => {
    const { worker, owner } = await people();
    const process = await worker.start();
    await process.stop();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a.txt') });

    const { node_runs } = await look(owner, body.workflow_run_id);

    assert.match(node_runs[0].queue_reason, /^no worker is online/i);
  });
});

/** A run whose one node run is held by the first process of a worker. */
async function stage() {
  const { worker, owner, server } = await people();
  const first = await worker.start();
  const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
  const { body } = await run(owner, version, { cog_ids: await filesOf(owner, 'a.txt') });
  const [order] = await first.acquire();
  await first.started(order);
  const { db } = server.services;
  const sweep = () => sweepInPeace(server.services);
  return {
    first,
    order,
    owner,
    version,
    runId: body.workflow_run_id as number,
    url: server.url,
    db,
    sweep,
  };
}
