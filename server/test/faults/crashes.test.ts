/** Processes killed at critical moments: acknowledged data stays, and work continues. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findMiscounted, readUsage } from '../../src/objects/quota.ts';
import { changeTenantSettings } from '../../src/resources/users/users.ts';
import { basic } from '../dav.ts';
import { endOf, type Installation, openInstallation } from '../installation.ts';
import { digestOf, pushImage, registryClientWith } from '../registry.ts';
import { isInBucket } from '../storage.ts';
import { until } from '../until.ts';
import { endless, kilobyte, megabyte, upload, uploadOf } from './cut-off-uploads.ts';
import { alone, aNode, obeys, run, runningAttempt, say, writes } from './obedient.ts';
import { assertNoOrphans, partialFilesOf } from './objects.ts';
import { containersOf, processesOf } from './processes.ts';
import { type RemoteWorker, startRemoteWorker } from './remote-worker.ts';

const opened = await openInstallation();
const skip = typeof opened === 'string' && opened;
const installation = opened as Installation;

after(() => skip || installation.close());

/** A run of one container that waits for the test's command. */
const waiting = async () => run(installation, alone(await aNode(installation, obeys)));

async function attemptsOf(runId: number) {
  return installation.db<
    { id: number; status: string; error_class?: string; millicredits?: number }[]
  >`
    select attempts.id, status, error_class, millicredits
    from attempts
    left join usage_events on attempt_id = attempts.id
    where attempts.run_id = ${runId}
    order by attempts.id
  `;
}

/** The server did not wait for the lease to expire. */
async function assertGivenUpAtOnce(attemptId: number) {
  const [attempt] = await installation.db<{ early: boolean }[]>`
    select finished_at < lease_expires_at as early from attempts where id = ${attemptId}
  `;
  assert.equal(attempt?.early, true);
}

/** The run succeeded with a single result of this content, however many attempts it took. */
async function assertOneResult(runId: number, content: string) {
  const { admin, db } = installation;
  const ended = await endOf(installation, runId);
  assert.equal(ended.status, 'success', ended.error_message);
  assert.equal(ended.run_files.length, 1);
  const folder = await admin.get(`/cogs/?parent_id=${ended.output_folder_id}`);
  assert.deepEqual(
    folder.body.map((cog: { name: string }) => cog.name),
    ['out.txt'],
  );
  const { body } = await admin.get(`/cogs/${ended.run_files[0].cog_id}/download`);
  assert.equal(body, `${content}\n`);
  const [rows] = await db<{ outputs: number; successes: number }[]>`
    select
      (select count(*) from node_run_outputs where run_id = ${runId}) as outputs,
      (select count(*) from attempts where run_id = ${runId} and status = 'success') as successes
  `;
  assert.deepEqual({ ...rows }, { outputs: 1, successes: 1 });
  await assertNoOrphans(installation);
}

describe('a worker killed while its container runs', { skip }, () => {
  it('is started again, and the work is done once', async () => {
    const { db, dir } = installation;
    const runId = await waiting();
    const first = await runningAttempt(installation, runId);
    const before = (await containersOf(dir)).map(({ pid }) => pid);

    process.kill(await installation.workerPid(), 'SIGKILL');
    const second = await runningAttempt(installation, runId, first.id);

    const now = (await containersOf(dir)).map(({ pid }) => pid);
    assert.deepEqual(
      now.filter((pid) => before.includes(pid)),
      [],
    );
    await assertGivenUpAtOnce(first.id);
    await say(installation, second.id, writes('again'));
    await assertOneResult(runId, 'again');
    const [lost, done] = await attemptsOf(runId);
    assert.deepEqual([lost?.status, lost?.error_class], ['lost', 'lost_worker']);
    // Attempts lost by the platform are free, but recorded.
    assert.equal(lost?.millicredits, 0);
    assert.ok(done?.millicredits && done.millicredits > 0);
    const [nodeRun] =
      await db`select attempt, system_faults from node_runs where run_id = ${runId}`;
    assert.deepEqual({ ...nodeRun }, { attempt: 2, system_faults: 1 });
    assert.deepEqual(await containersOf(dir), []);
  });
});

describe('a server killed', { skip }, () => {
  it('while a container runs, goes on with the run after its next start', async () => {
    const runId = await waiting();
    const first = await runningAttempt(installation, runId);

    await installation.kill();
    await installation.start();
    const second = await runningAttempt(installation, runId, first.id);

    await assertGivenUpAtOnce(first.id);
    await say(installation, second.id, writes('after'));
    await assertOneResult(runId, 'after');
  });

  for (const [moment, table] of [
    ['before it has read of a completion', 'workflow_runs'],
    ['in the middle of a completion', 'usage_events'],
  ] as const) {
    it(`${moment}, has all of it or nothing`, async () => {
      const runId = await waiting();
      const first = await runningAttempt(installation, runId);
      const { db } = installation;
      // The lock on the table never lets this server's completion continue.
      const holding = db
        .transaction(async (tx) => {
          await tx.script(`lock table ${table} in exclusive mode`);
          await say(installation, first.id, writes('lost'));
          await until('the completion waits', async () => {
            const [row] = await tx`
              select from pg_stat_activity
              where wait_event_type = 'Lock' and query not ilike '%pg_stat_activity%'
            `;
            return row !== undefined;
          });
          installation.server.kill('SIGKILL');
          throw new Error('held long enough');
        })
        .catch((error: Error) => error.message);
      assert.equal(await holding, 'held long enough');

      await installation.kill();
      await installation.start();
      const second = await runningAttempt(installation, runId, first.id);
      await say(installation, second.id, writes('done'));

      await assertOneResult(runId, 'done');
      const [lost] = await attemptsOf(runId);
      assert.notEqual(lost?.status, 'success');
    });
  }

  it('in the middle of an upload, keeps nothing of it', async () => {
    const { dir } = installation;
    const sending = upload(installation, 'half.bin', new AbortController().signal);
    await until('half of it has come', async () =>
      (await partialFilesOf({ dir })).some((size) => size > 90 * megabyte),
    );

    await installation.kill();
    await assert.rejects(sending.answer);
    await installation.start();

    // A bucket keeps it until its object expires.
    if (!isInBucket) assert.deepEqual(await partialFilesOf({ dir }), []);
    await assertNoCog('half.bin');
    await assertNoOrphans(installation);
  });

  it('in the middle of a push, keeps what it has said to have of the image', async () => {
    const { admin, url, dir } = installation;
    const { tenant_id } = (await admin.get('/me')).body;
    const { access_key } = (await admin.post('/api-keys', { description: 'push' })).body;
    const push = registryClientWith({ url }, basic(access_key));
    const name = `t${tenant_id}/killed`;
    await pushImage(push, name, '1', 'whole');
    const begun = await push('POST', `${name}/blobs/uploads/`);
    const location = String(begun.headers.get('location'));
    await push('PATCH', location, { body: 'before ' });
    const gone = new AbortController();
    const sending = push('PATCH', location, { body: endless(gone.signal) });
    sending.catch(() => {});
    await until('some of it has come', async () =>
      (await partialFilesOf({ dir })).some((size) => size > 30 * megabyte),
    );

    await installation.kill();
    gone.abort();
    await assert.rejects(sending);
    await installation.start();

    assert.equal((await push('GET', location)).headers.get('range'), '0-6');
    const put = `${location}?digest=${digestOf('before and after')}`;
    assert.equal((await push('PUT', put, { body: 'and after' })).status, 201);
    assert.equal((await push('GET', `${name}/manifests/1`)).status, 200);
    // By then the blob is unused, and its upload forgotten.
    await assertNoOrphans(installation, 2);
    assert.equal((await push('GET', `${name}/blobs/${digestOf('whole')}`)).text, 'whole');
    const unused = await push('GET', `${name}/blobs/${digestOf('before and after')}`);
    assert.equal(unused.code, 'BLOB_UNKNOWN');
  });

  for (const answers of [1, 10, 25]) {
    it(`amid uploads of every kind, when ${answers} were answered, counts what is stored`, async () => {
      const { tenant_id } = (await installation.admin.get('/me')).body;
      const before = (await readUsage(installation.db, tenant_id)).used_bytes;
      // There is room for half of them.
      const storage_limit_bytes = before + 20 * kilobyte;
      await changeTenantSettings(installation.db, tenant_id, { storage_limit_bytes });
      const made: number[] = [];
      const enough = Promise.withResolvers<void>();
      let left = answers;
      const uploads = Array.from({ length: 40 }, async (_, at) => {
        const { status, body } = await uploadOf(installation, at, `storm ${answers} ${at}`);
        if (status === 201) made.push(body.id);
        left -= 1;
        if (left === 0) enough.resolve();
      });
      const all = Promise.allSettled(uploads);
      await enough.promise;

      await installation.kill();
      await all;
      await installation.start();

      const { admin, db } = installation;
      assert.equal((await findMiscounted(db)).length, 0);
      const { used_bytes, reserved_bytes } = await readUsage(db, tenant_id);
      assert.ok(used_bytes + reserved_bytes <= storage_limit_bytes);
      assert.ok(used_bytes >= before + made.length * kilobyte);
      for (const id of made) {
        assert.equal((await admin.get(`/cogs/${id}/download`)).body.length, kilobyte);
      }
      await assertNoOrphans(installation, 20);
      assert.equal((await readUsage(db, tenant_id)).reserved_bytes, 0);
      await changeTenantSettings(db, tenant_id, { storage_limit_bytes: null });
    });
  }
});

async function assertNoCog(name: string) {
  const [found] = await installation.db`select from cogs where name = ${name}`;
  assert.equal(found, undefined);
}

describe('a client that goes away in the middle of an upload', { skip }, () => {
  it('leaves no cog and no byte', async () => {
    const gone = new AbortController();
    const sending = upload(installation, 'gone.bin', gone.signal);
    await until('half of it has come', async () =>
      (await partialFilesOf(installation)).some((size) => size > 90 * megabyte),
    );

    gone.abort();
    await assert.rejects(sending.answer);

    await until('the server has let go of it', async () => {
      const [pending] = await installation.db`select from objects where state = 'pending'`;
      return !pending && (await partialFilesOf(installation)).length === 0;
    });
    await assertNoCog('gone.bin');
    await assertNoOrphans(installation);
  });
});

describe('Ctrl-C', { skip }, () => {
  it('stops everything within seconds, and the run goes on after the next start', async () => {
    const { dir } = installation;
    const runId = await waiting();
    const first = await runningAttempt(installation, runId);

    const { code, took_ms } = await installation.interrupt();

    assert.equal(code, 0);
    // With SIGTERM; after the grace the next test's takes longer.
    assert.ok(took_ms < 10_000, `${took_ms} ms`);
    assert.deepEqual(await processesOf(dir), []);
    await installation.start();
    const second = await runningAttempt(installation, runId, first.id);
    await say(installation, second.id, writes('on'));
    await assertOneResult(runId, 'on');
  });

  it('waits for a container that ignores SIGTERM no longer than its grace', async () => {
    const { dir } = installation;
    const runId = await waiting();
    const first = await runningAttempt(installation, runId);
    await say(installation, first.id, 'trap "" TERM; echo deaf; while true; do sleep 0.1; done');
    await until('it is deaf', async () => {
      const [piece] =
        await installation.db`select from attempt_logs where attempt_id = ${first.id}`;
      return piece !== undefined;
    });

    const { code, took_ms } = await installation.interrupt();

    assert.equal(code, 0);
    assert.ok(took_ms > 10_000 && took_ms < 20_000, `${took_ms} ms`);
    assert.deepEqual(await processesOf(dir), []);
    await installation.start();
    const second = await runningAttempt(installation, runId, first.id);
    await say(installation, second.id, writes('heard'));
    await assertOneResult(runId, 'heard');
  });
});

describe('a worker on another machine', { skip }, () => {
  const megabytes = 200;
  let remote: RemoteWorker;
  const waitingThere = async () => {
    const resources = { cpu: 0.5, memory_mb: 64, gpu: 0, disk_mb: 2 * megabytes };
    return run(installation, alone(await aNode(installation, obeys, { resources })));
  };

  before(async () => {
    if (skip) return;
    const { admin } = installation;
    const [local] = (await admin.get('/workers')).body;
    assert.equal((await admin.post(`/workers/${local.id}/drain`)).status, 200);
    remote = await startRemoteWorker(installation);
  });
  after(() => remote?.close());

  it('outlives the server: what ends meanwhile is reported afterwards, and runs once', async () => {
    const { admin } = installation;
    const runId = await waitingThere();
    const { id } = await runningAttempt(installation, runId);

    await installation.kill();
    await say(installation, id, `echo alone; ${writes('meanwhile')}`, remote.folder);
    await until('the container has ended', async () => (await remote.containers()).length === 0);
    await installation.start();

    await assertOneResult(runId, 'meanwhile');
    assert.equal((await attemptsOf(runId)).length, 1);
    const [nodeRun] = (await admin.get(`/workflows/workflow-runs/${runId}`)).body.node_runs;
    const log = await admin.get(`/workflows/workflow-runs/${runId}/node-runs/${nodeRun.id}/logs`);
    assert.equal(log.body, 'alone\n');
  });

  it('sends a large output again when the server was killed in the middle of it', async () => {
    const { dir } = installation;
    const runId = await waitingThere();
    const { id } = await runningAttempt(installation, runId);
    await say(
      installation,
      id,
      `head -c ${megabytes}m /dev/zero > /data/outputs/out.txt`,
      remote.folder,
    );
    await until('some of it has come', async () =>
      (await partialFilesOf({ dir })).some((size) => size > megabyte),
    );

    await installation.kill();
    await installation.start();

    const ended = await endOf(installation, runId);
    assert.equal(ended.status, 'success', ended.error_message);
    assert.equal((await attemptsOf(runId)).length, 1);
    assert.equal(ended.run_files[0].size_bytes, megabytes * megabyte);
    await assertNoOrphans(installation);
  });

  it('ends on SIGTERM with nothing left of it', async () => {
    assert.equal(await remote.stop(), 0);
    assert.deepEqual(await remote.processes(), []);
  });
});
