/**
 * Like ending.test.ts, while a container runs: it ends too, and its work continues at the next
 * start.
 */
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { removeEngine } from '../../../worker/src/containers/engine.ts';
import { connect } from '../../src/db/connection.ts';
import { runningEmbedded } from '../../src/db/embedded.ts';
import { type Installation, openInstallation, serverEnvironment } from '../installation.ts';
import { type ByNpm, pidOf, startByNpm, untilNothingIsLeft, type Where } from './by-npm.ts';
import { alone, aNode, obeys, run, runningAttempt } from './obedient.ts';
import { containersOf, killAll } from './processes.ts';

const opened = await openInstallation();
const skip = typeof opened === 'string' && opened;
const installation = opened as Installation;
const started: ByNpm[] = [];
const homes: string[] = [];

after(async () => {
  for (const { child } of started) if (child.exitCode === null) child.kill('SIGKILL');
  if (skip) return;
  for (const home of homes) {
    await killAll(home);
    const worker = { state_dir: join(home, 'containers'), installation: `worker-${hostname()}` };
    await removeEngine(worker);
  }
  await installation.close();
});

const waiting = async () => run(installation, alone(await aNode(installation, obeys)));

describe('npm start with a container that runs', { skip }, () => {
  let runId = 0;
  let attemptId = 0;

  before(async () => {
    if (skip) return;
    runId = await waiting();
    attemptId = (await runningAttempt(installation, runId)).id;
    await installation.interrupt();
  });

  /** Restarts the installation by npm; its run continues in a new attempt. */
  async function startAgain(where: Where) {
    const { dir, url } = installation;
    const env = { ...serverEnvironment(dir), PORT: new URL(url).port };
    const one = await startByNpm('start', env, where, /is ready at/);
    started.push(one);
    const at = await runningEmbedded(join(dir, 'postgres'));
    assert.ok(at);
    const db = connect(at('cogworks'), { max: 1 });
    attemptId = (await runningAttempt({ db }, runId, attemptId)).id;
    await db.close();
    assert.notDeepEqual(await containersOf(dir), []);
    return one;
  }

  it('ends by Ctrl-C in a terminal', async () => {
    const { type, exited } = await startAgain('terminal');
    type('\x03');
    await exited;
    await untilNothingIsLeft(installation.dir);
  });

  it('ends by kill -9 to npm', async () => {
    await startAgain('background');
    process.kill(await pidOf('npm', installation.dir), 'SIGKILL');
    await untilNothingIsLeft(installation.dir);
  });
});

describe('npm run worker with a container that runs', { skip }, () => {
  before(async () => {
    if (skip) return;
    await installation.start();
    const [local] = (await installation.admin.get('/workers')).body;
    await installation.admin.post(`/workers/${local.id}/drain`);
  });

  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    it(`ends by ${signal} to npm`, async () => {
      const { admin, dir, url } = installation;
      const { body } = await admin.post('/workers/enrollment-tokens', {});
      const home = join(dir, `by-npm-${signal}`);
      homes.push(home);
      const env = {
        ...serverEnvironment(home),
        COGWORKS_URL: url,
        COGWORKS_ENROLLMENT_TOKEN: body.enrollment_token,
        COGWORKS_WORKER_DIR: home,
        COGWORKS_WORKER_NAME: signal.toLowerCase(),
      };
      started.push(await startByNpm('run worker', env, 'background', /takes work/));
      await runningAttempt(installation, await waiting());

      process.kill(await pidOf('npm', home), signal);

      await untilNothingIsLeft(home);
    });
  }
});
