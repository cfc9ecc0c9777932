import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { setImmediate as immediately } from 'node:timers/promises';
import type { AttemptError } from '../../src/attempt-error.ts';
import { openEngine } from '../../src/containers/engine.ts';
import type { ContainerEngine, RunSpec } from '../../src/containers/types.ts';
import { type Fixture, never, openFixture, script } from './fixture.ts';

const opened = await openFixture();
const skip = typeof opened === 'string' && opened;
const fixture = opened as Fixture;

after(() => skip || fixture.close());

const leavesNoContainer = async () =>
  assert.deepEqual(await fixture.engine.removeLeftovers(), [], 'containers are left');

describe('a fault of the engine while the program runs', { skip }, () => {
  afterEach(leavesNoContainer);

  for (const [program, problem] of [
    ['podman', /ended by a signal/],
    // Podman's monitor.
    ['conmon', /could not run the container/],
  ] as const) {
    it(`is reported as one when ${program} is killed`, async () => {
      const spec = await fixture.spec(script('echo ready; sleep 60'));
      const kill = () => signalProcesses(program, spec.name, 'SIGKILL');

      await assert.rejects(
        fixture.engine.run(spec, { onOutput: kill }, never),
        (error: AttemptError) => {
          assert.equal(error.error_class, 'infrastructure');
          assert.match(error.message, problem);
          return true;
        },
      );
    });
  }
});

describe('a fault of the engine while it starts a container', { skip }, () => {
  afterEach(leavesNoContainer);

  it('leaves no process of the container when podman is killed', async () => {
    const { spec, run } = await startSlowly(['/bin/sleep', '1'], ({ name }) =>
      signalProcesses('podman', name, 'SIGKILL'),
    );

    await assert.rejects(run, isInfrastructure);

    assert.deepEqual(processesOf('conmon', spec.name), []);
  });

  it('is never reported as a success, though podman ends with 0 when told to end', async () => {
    const { run } = await startSlowly(script('exit 7'), ({ name }) => {
      signalProcesses('podman', name, 'SIGTERM');
      signalProcesses('podman', name, 'SIGCONT');
    });

    const exitCode = await run.then(
      ({ exit_code }) => exit_code,
      () => null,
    );

    assert.notEqual(exitCode, 0);
  });

  it('leaves no container when podman ends before it tells the id', async () => {
    const engine = await engineWhose('podman $settings create $most >/dev/null; rm "$id_file"');

    await assert.rejects(engine.run(await quick(), {}, never), isInfrastructure);
  });
});

describe('a container of which something is left when podman has ended', { skip }, () => {
  afterEach(leavesNoContainer);

  it('is removed, also by later releases of podman, which delete the id then', async () => {
    const engine = await engineWhose('podman $settings run $most; rm "$id_file"');

    const { exit_code } = await engine.run(await quick(), {}, never);

    assert.equal(exit_code, 0);
  });

  it('does not keep the run open by a process that holds its output', async () => {
    const engine = await engineWhose(`
      mkfifo "$0.never" && sh -c ': <"$0"' "$0.never" "$@" &
      exec podman "$@"
    `);

    const { exit_code } = await engine.run(await quick(), {}, never);

    assert.equal(exit_code, 0);
  });
});

describe('an exit code whose entry in the log of events was displaced by others', { skip }, () => {
  afterEach(leavesNoContainer);
  const log = join(skip ? '' : (fixture.options.run_dir ?? ''), 'tmp/events/events.log');

  it("is not the program's if its container goes only while the log is read", async () => {
    // The log is a pipe, so that reading it takes until the container is removed.
    const engine = await engineWhose(`
      podman $settings run $most
      rm '${log}'; mkfifo '${log}'
      (exec 3>'${log}'; podman $settings rm "$(cat "$id_file")"; rm '${log}') >/dev/null 2>&1 &
      exit 0
    `);

    await assert.rejects(
      engine.run(await fixture.spec(script('exit 7')), {}, never),
      isInfrastructure,
    );
  });

  it("is the program's, unless podman uses it for its own errors", async () => {
    const engine = await engineWhose(`podman "$@"; code=$?; : >'${log}'; exit $code`);
    const run = async (code: number) =>
      engine.run(await fixture.spec(script(`exit ${code}`)), {}, never);

    assert.equal((await run(0)).exit_code, 0);
    assert.equal((await run(3)).exit_code, 3);
    await assert.rejects(run(125), isInfrastructure);
  });
});

const isInfrastructure = (error: AttemptError) => error.error_class === 'infrastructure';

const quick = () => fixture.spec(['/bin/true']);

/**
 * An engine with the same store, which runs containers by this shell script. `$most` are the
 * arguments of `run` without `--rm`.
 */
async function engineWhose(text: string): Promise<ContainerEngine> {
  const command = join(fixture.folder, randomUUID());
  const program = `#!/bin/sh
    case " $* " in *' --cidfile '*) ;; *) exec podman "$@" ;; esac
    set -f
    settings='' most='' before='' id_file=''
    for word in "$@"; do
      case "$before $word" in
        *' run') settings=$most most='' ;;
        *' --rm' | *' --cidfile') ;;
        '--cidfile '*) id_file=$word most="$most --cidfile $word" ;;
        *) most="$most $word" ;;
      esac
      before=$word
    done
    ${text}`;
  await writeFile(command, program, { mode: 0o755 });
  const { engine, report } = await openEngine({ ...fixture.options, command });
  assert.ok(engine, report.problem);
  return engine;
}

/**
 * Podman stands still from the creation of the container on, so it cannot note or start it. A
 * container whose creation was over before it was seen is run to its end, and another one started.
 */
async function startSlowly(command: string[], onCreated: (spec: RunSpec) => void) {
  for (;;) {
    const spec = await fixture.spec(command);
    const run = fixture.engine.run(spec, { onStarted: () => onCreated(spec) }, never);
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    run.then(over, over);
    while (!isOver) {
      // In the arguments of the runtime, the file of the container's process id.
      if (processesOf('runc', fixture.engine.private_dir).length > 0) {
        signalProcesses('podman', spec.name, 'SIGSTOP');
        return { spec, run };
      }
      await immediately();
    }
  }
}

/** Signals the processes of this program that have the text in their arguments. */
function signalProcesses(program: string, text: string, signal: NodeJS.Signals) {
  for (const pid of processesOf(program, text)) process.kill(pid, signal);
}

const processesOf = (program: string, text: string) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const [command = '', ...args] = commandLine(pid);
      return basename(command) === program && args.some((word) => word.includes(text));
    })
    .map(Number);

function commandLine(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return []; // It ended meanwhile.
  }
}
