import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runCommand } from '../../src/containers/command.ts';
import {
  makePortFolders,
  makeWorkspace,
  placeInputs,
  sealInput,
  writeParams,
} from '../../src/containers/inputs.ts';
import { collectOutputs } from '../../src/containers/outputs.ts';
import { type Fixture, openFixture, readOutput, script } from './fixture.ts';

const opened = await openFixture();
const skip = typeof opened === 'string' && opened;
const fixture = opened as Fixture;

describe('a run of a container', { skip, concurrency: 2 }, () => {
  after(() => fixture.close());

  it('gives the program its inputs and parameters, and takes its outputs', async () => {
    const workspace = await makeWorkspace(join(fixture.folder, 'inputs-and-outputs'));
    await makePortFolders(workspace, ['text']);
    const [input] = placeInputs(workspace, [
      { port: 'text', name: 'Grüße an alle.txt', cardinality: 'one' },
    ]);
    assert.ok(input);
    await writeFile(input.host_path, 'one\ntwo\n');
    await sealInput(input);
    await writeParams(workspace, { width: 800 });

    const { result, stdout, stderr } = await fixture.run(
      script(
        `wc -l < "${input.container_path}" > /data/outputs/lines.txt; cat /data/params.json; echo " $PARAM_WIDTH"; echo warn >&2`,
      ),
      { workspace, env: { PARAM_WIDTH: '800' } },
    );

    assert.equal(result.exit_code, 0);
    assert.equal(result.stopped_by, null);
    assert.match(stdout, /"width": 800/);
    assert.match(stdout, /} 800\n$/);
    assert.equal(stderr, 'warn\n');
    assert.equal((await readOutput(workspace, 'lines.txt')).trim(), '2');
    const [output] = await collectOutputs(workspace.outputs, [
      { name: 'lines', glob: '*.txt', cardinality: 'one' },
    ]);
    assert.equal(output?.name, 'lines.txt');
  });

  it('tells once that the program started, before it ends', async () => {
    const told: string[] = [];

    await fixture.run(
      script('echo running'),
      {},
      { onStarted: () => void told.push('started'), onOutput: (text) => void told.push(`${text}`) },
    );

    assert.deepEqual(told, ['started', 'running\n']);
  });

  for (const code of [1, 3, 125, 126, 127]) {
    it(`reports the program's exit code ${code}`, async () => {
      const { result } = await fixture.run(script(`exit ${code}`));

      assert.equal(result.exit_code, code);
      assert.equal(result.oom_killed, false);
    });
  }

  it('reports 127 for a program that is not in the image, and 126 for one that cannot run', async () => {
    assert.equal((await fixture.run(['/no/such/program'])).result.exit_code, 127);
    assert.equal((await fixture.run(['/tmp'])).result.exit_code, 126);
  });

  it('gives the command to the program word by word, never to a shell', async () => {
    const words = ['$(id)', '; rm -rf /', '--privileged', '', 'two words', "'", '\n', '%s'];

    const { stdout } = await fixture.run(['/bin/printf', '[%s]', ...words]);

    assert.equal(stdout, words.map((word) => `[${word}]`).join(''));
  });

  it('gives environment values exactly, with line breaks and with what means something to podman', async () => {
    const env = {
      PARAM_TEXT: 'first\nsecond "quoted" ',
      PARAM_HASH: '# not a comment',
      LD_PRELOAD: '/data/outputs/evil.so',
      EMPTY: '',
      SPACES: '  a = b  ',
    };

    const { stdout, stderr } = await fixture.run(
      script('printf "%s|" "$PARAM_TEXT" "$PARAM_HASH" "$LD_PRELOAD" "$EMPTY" "$SPACES"'),
      { env },
    );

    assert.equal(stdout, `${Object.values(env).join('|')}|`, stderr);
  });

  it('leaves no secret on a disk or in the list of processes, while it runs and after', {
    skip:
      typeof opened !== 'string' &&
      opened.engine.report.warnings.some((sentence) => /in memory/.test(sentence)) &&
      'No folder in memory is open to this user.',
  }, async () => {
    const secret = randomBytes(16).toString('hex');
    const id = randomBytes(6).toString('hex');
    const workspace = await makeWorkspace(
      join(fixture.folder, id),
      join(fixture.engine.private_dir, id),
    );
    await writeParams(workspace, { token: secret });
    // Links are not followed: their targets are in memory.
    const places = async () => [
      ...(await runCommand('grep', ['-rl', secret, fixture.folder])).stdout.split('\n'),
      ...(await runCommand('ps', ['axww'])).stdout
        .split('\n')
        .filter((row) => row.includes(secret)),
    ];
    const stop = new AbortController();
    const seen: string[] = [];

    await fixture.run(
      script('cat /data/params.json; echo "$PARAM_TOKEN$PARAM_LINES"; sleep 60'),
      { workspace, env: { PARAM_TOKEN: secret, PARAM_LINES: `a\n${secret}` } },
      {
        async onOutput() {
          seen.push(...(await places()));
          stop.abort();
        },
      },
      stop.signal,
    );
    seen.push(...(await places()));

    assert.deepEqual(
      seen.filter((line) => line !== '' && !line.includes('grep')),
      [],
    );
  });

  it('reads progress as the program writes it', async () => {
    const seen: string[] = [];
    const shown = Promise.withResolvers<void>();
    const stop = new AbortController();
    shown.promise.then(() => stop.abort());

    await fixture.run(
      script('echo nonsense > /data/progress; echo 1/4 >> /data/progress; sleep 60'),
      {},
      {
        onProgress(done, total) {
          seen.push(`${done}/${total}`);
          shown.resolve();
        },
      },
      stop.signal,
    );

    assert.deepEqual(seen, ['1/4']);
  });

  it('streams 50 MB of log in bounded memory, while whoever takes it is slow', async () => {
    let bytes = 0;
    let largest = 0;
    let chunks = 0;
    const before = process.memoryUsage().rss;
    let peak = before;

    const { result } = await fixture.run(
      script('head -c 52428800 /dev/zero'),
      {},
      {
        async onOutput(chunk) {
          bytes += chunk.length;
          largest = Math.max(largest, chunk.length);
          if (++chunks % 50 === 0) await new Promise((next) => setImmediate(next));
          peak = Math.max(peak, process.memoryUsage.rss());
        },
      },
    );

    assert.equal(result.exit_code, 0);
    assert.equal(bytes, 52_428_800);
    assert.ok(largest <= 65_536, `a piece of ${largest} bytes`);
    assert.ok(peak - before < 40e6, `grew by ${((peak - before) / 1e6).toFixed(0)} MB`);
  });

  it('ends with the error of a hook, and leaves no container', async () => {
    const broken = fixture.run(
      script('echo hello; sleep 60'),
      {},
      {
        onOutput() {
          throw new Error('nobody takes this');
        },
      },
    );

    await assert.rejects(broken, /nobody takes this/);
  });
});
