import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, rm } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import { openEngine } from '../../src/containers/engine.ts';
import { type Fixture, openFixture, script } from './fixture.ts';

const opened = await openFixture();
const skip = typeof opened === 'string' && opened;
const fixture = opened as Fixture;

after(() => skip || fixture.close());

const ignoresTerm = script('trap "" TERM; echo ready; while true; do sleep 1; done');

describe('the end of a container', { skip, concurrency: 2 }, () => {
  it('comes by its time-out', async () => {
    const { result } = await fixture.run(['/bin/sleep', '60'], { timeout_seconds: 1 });

    assert.equal(result.stopped_by, 'timeout');
    assert.equal(result.exit_code, 143);
    assert.equal(result.oom_killed, false);
  });

  it('comes by a cancel, which the program may answer', async () => {
    const stop = new AbortController();

    const { result, stdout } = await fixture.run(
      script('trap "echo saved; exit 9" TERM; echo ready; while true; do sleep 0.1; done'),
      {},
      collecting((text) => text.includes('ready') && stop.abort()),
      stop.signal,
    );

    assert.equal(result.stopped_by, 'cancel');
    assert.equal(result.exit_code, 9);
    assert.equal(stdout, '');
    assert.match(seen, /saved/);
  });

  it('comes by SIGTERM for a program without a handler for it, long before the grace is over', async () => {
    const stop = new AbortController();

    const { result } = await fixture.run(
      ['/bin/sleep', '60'],
      { grace_seconds: 3600 },
      { onStarted: () => stop.abort() },
      stop.signal,
    );

    assert.equal(result.exit_code, 143);
  });

  it('comes by SIGKILL after the grace for a program that ignores SIGTERM', async () => {
    const stop = new AbortController();
    let askedAt = 0;

    const { result } = await fixture.run(
      ignoresTerm,
      { grace_seconds: 1 },
      {
        onOutput() {
          askedAt = performance.now();
          stop.abort();
        },
      },
      stop.signal,
    );

    const took = performance.now() - askedAt;
    assert.equal(result.exit_code, 137);
    assert.equal(result.stopped_by, 'cancel');
    assert.equal(result.oom_killed, false);
    assert.ok(took > 900, `${took} ms`);
  });

  it('takes all processes of the container with it', async () => {
    const stop = new AbortController();

    const { workspace } = await fixture.run(
      script(
        '(trap "" TERM; while true; do touch /data/outputs/alive; sleep 0.05; done) & echo ready; wait',
      ),
      { grace_seconds: 1 },
      { onOutput: () => stop.abort() },
      stop.signal,
    );

    await rm(`${workspace.outputs}/alive`, { force: true });
    // Had the loop survived, it would have made the file anew while the next container ran.
    await fixture.run(['/bin/sleep', '0.3']);
    await assert.rejects(access(`${workspace.outputs}/alive`));
  });

  it('comes before the start when cancelled by then, whenever that is, and leaves nothing', async () => {
    const aborted = await fixture.run(['/bin/true'], {}, {}, AbortSignal.abort());
    assert.equal(aborted.result.exit_code, null);
    assert.equal(aborted.result.exit_code, null);
    assert.equal(aborted.result.stopped_by, 'cancel');

    // From the first moment of podman's work to the container's own.
    for (const milliseconds of [0, 15, 30, 45, 60, 75, 90, 105, 120]) {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), milliseconds);
      const { result } = await fixture.run(
        ['/bin/sleep', '60'],
        { grace_seconds: 5 },
        {},
        stop.signal,
      );
      assert.equal(result.stopped_by, 'cancel', `after ${milliseconds} ms`);
    }
    assert.deepEqual(await leftAfterAll(), []);
  });
});

/** No run of this file is under way where this is called. */
const leftAfterAll = () => fixture.engine.removeLeftovers();

let seen = '';
function collecting(look: (text: string) => unknown) {
  return {
    onOutput(chunk: Buffer) {
      seen += chunk.toString();
      look(seen);
    },
  };
}

describe('containers of a worker that was killed', { skip }, () => {
  it('are removed on the next start', async () => {
    const lost = [await startAndKillWorker('lost'), await startAndKillWorker('lost-too')];

    const first = await fixture.engine.removeLeftovers();
    const second = await fixture.engine.removeLeftovers();

    assert.deepEqual(first.sort(), lost.map((attempt) => `cogworks-${attempt}`).sort());
    assert.deepEqual(second, []);
  });

  it('are not touched when they belong to another installation', async () => {
    const installation = 'another-installation';
    const foreign = await startAndKillWorker('foreign', installation);

    assert.deepEqual(await fixture.engine.removeLeftovers(), []);
    const other = await openEngine({ ...fixture.options, installation });
    assert.deepEqual(await other.engine?.removeLeftovers(), [`cogworks-${foreign}`]);
  });
});

/** A process of its own runs a container and is killed without a chance to clean up. */
async function startAndKillWorker(attempt: string, installation = fixture.options.installation) {
  const spec = await fixture.spec(ignoresTerm, {
    name: `cogworks-${attempt}`,
    attempt_id: attempt,
  });
  const options = { ...fixture.options, installation };
  const program = `
    const { openEngine } = await import(${JSON.stringify(import.meta.resolve('../../src/containers/engine.ts'))});
    const { engine } = await openEngine(${JSON.stringify(options)});
    await engine.run(${JSON.stringify(spec)}, { onOutput: (c) => void process.stdout.write(c) }, new AbortController().signal);
  `;
  const worker = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(worker.stdout, 'data');
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  return attempt;
}
