/** Several workers on a machine, and several processes of a worker. */
import assert from 'node:assert/strict';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { endOf, type Installation, openInstallation } from '../installation.ts';
import { alone, aNode, obeys, run, runningAttempt, say, writes } from './obedient.ts';
import { containersOf } from './processes.ts';
import { launchWorker, type RemoteWorker, startRemoteWorker } from './remote-worker.ts';

const opened = await openInstallation();
const skip = typeof opened === 'string' && opened;
const installation = opened as Installation;
const workers: RemoteWorker[] = [];

after(async () => {
  if (skip) return;
  for (const worker of workers) await worker.close();
  await installation.close();
});

/** Ensures that the worker is ended after the tests. */
async function keep(worker: Promise<RemoteWorker>): Promise<RemoteWorker> {
  workers.push(await worker);
  return worker;
}

const waiting = async () => run(installation, alone(await aNode(installation, obeys)));
const words = ({ said }: RemoteWorker) => said.join(' ');
const identityIn = async (folder: string) =>
  JSON.parse(await readFile(join(installation.dir, folder, 'worker.json'), 'utf8'));
const statusOf = async (id: number) => (await installation.admin.get(`/workers/${id}`)).body.status;

/**
 * The pids of the engine's monitors of an attempt's container: each lives as long as the container,
 * whose script itself starts short processes repeatedly.
 */
const monitorsOf = async (id: number) =>
  (await containersOf(installation.dir, id))
    .filter(({ command }) => /conmon/.test(command))
    .map(({ pid }) => pid);

/** Only the worker under test may take work. */
const resting = async (work: () => Promise<void>) => {
  const { id } = await identityIn('worker');
  await installation.admin.post(`/workers/${id}/drain`);
  try {
    await work();
  } finally {
    await installation.admin.post(`/workers/${id}/resume`);
  }
};

describe('a second worker on the machine of a server', { skip }, () => {
  it("refuses the folder of the server's own, which goes on with its containers", async () => {
    const runId = await waiting();
    const { id } = await runningAttempt(installation, runId);
    const before = await monitorsOf(id);

    const second = await keep(launchWorker(installation, 'worker', { COGWORKS_WORKER_NAME: 'b' }));

    assert.equal(await second.exit, 5);
    assert.match(words(second), /^A worker \(process \d+\) runs in .* already\. .* --name NAME$/);
    assert.equal(before.length, 1);
    assert.deepEqual(await monitorsOf(id), before);
    await say(installation, id, writes('undisturbed'));
    const ended = await endOf(installation, runId);
    assert.equal(ended.status, 'success');
    assert.equal(ended.node_runs[0].attempt, 1);
  });

  it('works beside it in a folder of its own, and is offline as soon as it stops', async () => {
    const second = await keep(startRemoteWorker(installation, 'second'));
    const { id } = await identityIn('second');
    assert.equal(await statusOf(id), 'online');

    assert.equal(await second.stop(), 0);

    assert.equal(await statusOf(id), 'offline');
  });

  it('goes on as the worker it was when it gets another token, and says so', async () => {
    const { id } = await identityIn('second');

    const second = await keep(startRemoteWorker(installation, 'second'));

    assert.equal((await identityIn('second')).id, id);
    assert.match(words(second), /the enrolment token is not used/);
    assert.equal(await second.stop(), 0);
  });

  it('shows its token to no other server', async () => {
    const { url, dir } = installation;
    const other = url.replace('127.0.0.1', 'localhost');

    const second = await keep(launchWorker(installation, 'second', { COGWORKS_URL: other }));

    assert.equal(await second.exit, 1);
    assert.ok(words(second).includes(`${join(dir, 'second')} belongs to the worker second`));
  });

  it('enrols anew when the server knows it no more, with a token alone', async () => {
    const { id } = await identityIn('second');
    await installation.admin.delete(`/workers/${id}`);

    const without = { COGWORKS_ENROLLMENT_TOKEN: '' };
    const refused = await keep(launchWorker(installation, 'second', without));
    assert.equal(await refused.exit, 1);
    assert.match(words(refused), /does not know the worker second/);
    const second = await keep(startRemoteWorker(installation, 'second'));

    assert.notEqual((await identityIn('second')).id, id);
    assert.equal(await second.stop(), 0);
  });
});

describe('a worker whose folder was copied', { skip }, () => {
  it('is told, gives back what it runs, and ends; the copy takes it over', () =>
    resting(async () => {
      const first = await keep(startRemoteWorker(installation, 'original'));
      const runId = await waiting();
      const { id } = await runningAttempt(installation, runId);
      await copyIdentity('original', 'copy');

      const copy = await keep(startRemoteWorker(installation, 'copy'));

      assert.equal(await first.exit, 4);
      assert.match(words(first), /Another process works for .* has given its work back/);
      assert.deepEqual(await first.containers(), []);
      const again = await runningAttempt(installation, runId, id);
      await say(installation, again.id, writes('copied'), 'copy');
      const ended = await endOf(installation, runId);
      assert.equal(ended.status, 'success');
      const attempts = await installation.db`
        select error_class from attempts where run_id = ${runId} order by id
      `;
      assert.deepEqual(
        attempts.map(({ error_class }) => error_class),
        ['evicted', undefined],
      );
      assert.equal(await copy.stop(), 0);
    }));
});

describe('a worker that was killed', { skip }, () => {
  it('starts again in its folder, and what it ran runs again at once', () =>
    resting(async () => {
      const first = await keep(startRemoteWorker(installation, 'killed'));
      const runId = await waiting();
      const { id } = await runningAttempt(installation, runId);
      await first.kill();

      const second = await keep(startRemoteWorker(installation, 'killed'));

      const again = await runningAttempt(installation, runId, id);
      const [lost] = await installation.db<{ early: boolean }[]>`
        select finished_at < lease_expires_at as early from attempts where id = ${id}
      `;
      assert.equal(lost?.early, true);
      await say(installation, again.id, writes('again'), 'killed');
      assert.equal((await endOf(installation, runId)).status, 'success');
      assert.equal(await second.stop(), 0);
    }));
});

/** Like a backup or a copied machine: the identity, without the rest of the folder. */
async function copyIdentity(from: string, to: string) {
  const target = join(installation.dir, to);
  await mkdir(target, { mode: 0o700 });
  await cp(join(installation.dir, from, 'worker.json'), join(target, 'worker.json'));
}
