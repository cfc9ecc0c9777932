/**
 * One container from start to removal, in one call of podman. Medians of `true` with a cached image
 * on two cores: asking the registry 8 ms, call to first instruction 100, all with removal 160; a
 * separate call for the removal makes it 290. Podman's HTTP service takes 150 to 270 for the same.
 */
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AttemptError } from '../attempt-error.ts';
import { removeGroup, wasOutOfMemory } from './cgroup.ts';
import { callProgram, lastLine } from './command.ts';
import { loggedExitCode } from './event-log.ts';
import { endLeftProcesses } from './left-processes.ts';
import { type EndedProgram, type Podman, pidFileIn, runProgram } from './podman-program.ts';
import { checkSpec, containerUser } from './run-arguments.ts';
import type { RunHooks, RunResult, RunSpec, Workspace } from './types.ts';
import { measure } from './watch.ts';

export async function runContainer(
  podman: Podman,
  spec: RunSpec,
  hooks: RunHooks,
  signal: AbortSignal,
): Promise<RunResult> {
  checkSpec(spec, podman.report);
  if (signal.aborted) return neverStarted();

  // Also podman's working directory: its monitor leaves an empty file `oom` there, the only trace
  // of an out-of-memory kill on cgroup v1, where State.OOMKilled stays false.
  const folder = await mkdtemp(join(podman.private_dir, 'run-'));
  const userRange = podman.ranges?.take() ?? null;
  const group = podman.cgroup && `${podman.cgroup}/${spec.name}`;
  let ended: EndedProgram | undefined;
  try {
    if (userRange !== null) await giveOutputs(spec.workspace, userRange + containerUser);
    const surroundings = { folder, group, user_range: userRange };
    ended = await runProgram(podman, spec, hooks, signal, surroundings);
    const exitCode = await programsExitCode(podman, spec, ended);
    const isOutOfMemory =
      existsSync(join(folder, 'oom')) ||
      (group !== null && (await wasOutOfMemory(group, podman.report.cgroup_version)));
    if (ended.stopped !== 'cancel') await checkDisk(spec, ended);
    return {
      exit_code: exitCode,
      oom_killed: exitCode !== 0 && isOutOfMemory,
      stopped_by: ended.stopped === 'cancel' || ended.stopped === 'timeout' ? ended.stopped : null,
    };
  } finally {
    if (!ended || isLeft(podman, ended)) await removeContainers(podman, [spec.name]);
    if (ended?.exit_code === null) await endLeftProcesses(pidFileIn(folder));
    if (userRange !== null) podman.ranges?.giveBack(userRange);
    if (group) await removeGroup(group, podman.report.cgroup_version);
    await rm(folder, { recursive: true, force: true });
  }
}

/** The program's user must own the output folders, and its id is known only now. */
async function giveOutputs({ outputs, progress }: Workspace, user: number) {
  for (const path of [outputs, progress]) await chown(path, user, user);
}

const neverStarted = (): RunResult => ({
  exit_code: null,
  oom_killed: false,
  stopped_by: 'cancel',
});

/**
 * Podman's exit code is not always the program's: it uses 125 to 127 for its own errors, and asked
 * to end by SIGTERM it ends with 0, whatever the program does.
 */
async function programsExitCode(
  podman: Podman,
  spec: RunSpec,
  ended: EndedProgram,
): Promise<number | null> {
  const { exit_code: code, first_errors: words, stopped } = ended;
  if (!ended.has_started && stopped === 'cancel') return null;
  if (code === null) throw enginesFault('it was ended by a signal');
  if (!ended.has_started) {
    // Podman reports this about the program only without an init.
    if (/exec: ".*command that was not found/s.test(words)) return 127;
    if (/exec: ".*OCI permission denied/s.test(words)) return 126;
    if (/image not known|no such image/i.test(words)) {
      throw new AttemptError('image_pull', 'The image was removed from the worker meanwhile.');
    }
    throw enginesFault(lastLine(words) || earlyEnd);
  }
  // Events of others may have displaced its entry. A podman that was not asked to end has removed
  // the container. Looked at first: the program of another may end meanwhile, which removes it too,
  // but writes the entry before.
  const wasRemoved = !isLeft(podman, ended);
  const logged = await loggedExitCode(podman.events_log, spec.name);
  const isPrograms =
    logged === undefined ? !(code >= 125 && code <= 127) && wasRemoved : logged === code;
  if (!isPrograms) throw enginesFault(lastLine(words) || earlyEnd);
  return code === 1 ? initsExitCode(words) : code;
}

/** The init that starts the program exits with 1 in cases where a shell exits with 127 or 126. */
function initsExitCode(words: string): number {
  const why = /^ERROR \(catatonit:\d+\): failed to exec pid1: (.*)$/m.exec(words)?.[1];
  if (!why) return 1;
  return /No such file/.test(why) ? 127 : 126;
}

const earlyEnd = 'it ended before the program';

const enginesFault = (why: string) =>
  new AttemptError(
    'infrastructure',
    `The worker's container engine could not run the container: ${why.slice(-300)}`,
  );

/** 128 + SIGXFSZ: the file size limit was exceeded. */
const fileTooLarge = 153;

async function checkDisk(spec: RunSpec, ended: EndedProgram): Promise<void> {
  const { disk_mb: diskMb } = spec.resources;
  const fault = ended.disk_fault ?? (await measure(spec.workspace, diskMb)).fault;
  if (fault) throw new AttemptError('disk_limit', fault);
  if (ended.exit_code === fileTooLarge) {
    throw new AttemptError(
      'disk_limit',
      `The program wrote a file over the node's disk of ${diskMb} MB.`,
    );
  }
}

/** `--rm` fails if the storage is busy, and does nothing if podman was told to end or killed. */
function isLeft(podman: Podman, { has_started, exit_code, container_id: id }: EndedProgram) {
  if (!has_started || exit_code === null || id === '') return true;
  return existsSync(join(podman.containers_dir, id));
}

const removalTries = 3;

/** Kills what still runs. What cannot be removed now is removed when the worker starts again. */
export async function removeContainers(podman: Podman, names: readonly string[]): Promise<void> {
  let words = '';
  for (let attempt = 0; attempt < removalTries; attempt++) {
    const args = ['rm', '--force', '--ignore', '--time', '0', ...names];
    const { code, stderr } = await callProgram(podman, args);
    if (code === 0) return;
    words = stderr;
  }
  podman.warn(`Could not remove the container ${names.join(', ')}: ${lastLine(words)}`);
}
