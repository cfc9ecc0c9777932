/**
 * A running container's program: its output, its time limit, its disk limit, and how it is stopped.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, watch } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { callProgram, type Program } from './command.ts';
import { endLeftProcesses } from './left-processes.ts';
import type { RegistryAllow } from './registry-allow.ts';
import {
  environmentFile,
  multilineEnvironment,
  type RunSurroundings,
  runArguments,
} from './run-arguments.ts';
import type { RunHooks, RunSpec } from './types.ts';
import type { UserRanges } from './user-ranges.ts';
import { watchWorkspace } from './watch.ts';

/** The settings for calls of podman, and facts about this machine. */
export type Podman = Program &
  Omit<RunSurroundings, 'pid_file' | 'id_file' | 'env_file' | 'cgroup_parent' | 'user_range'> & {
    scratch: string;
    /** The parent of each container's private folder. */
    private_dir: string;
    /** Where podman keeps a folder for each container, named by its id. */
    containers_dir: string;
    /** Podman's log of events, one as JSON per line. */
    events_log: string;
    registry_allow: RegistryAllow;
    /** Null if containers do not get their own user ids. */
    ranges: UserRanges | null;
    /** Engine settings for runs with egress. */
    egress_settings: readonly string[];
    /** Null if parent cgroups cannot be created. */
    cgroup: string | null;
    warn(message: string): void;
  };

/** `broken`: a hook failed, so the output cannot be delivered. */
export type StopReason = 'cancel' | 'timeout' | 'disk' | 'broken';

export type EndedProgram = {
  has_started: boolean;
  /** Known once it has started; otherwise empty. */
  container_id: string;
  /** Podman's; null if a signal ended podman itself. */
  exit_code: number | null;
  stopped: StopReason | null;
  disk_fault: string | null;
  /** Podman's messages before the program ran, and the program's first bytes on stderr. */
  first_errors: string;
};

type Run = {
  child: ChildProcessByStdio<null, Readable, Readable>;
  pid_file: string;
  id_file: string;
  env_file: string;
  ended: EndedProgram;
  exited: Promise<unknown>;
};

/** Resources exclusive to one container. */
export type Surroundings = {
  /** In memory. */
  folder: string;
  group: string | null;
  user_range: number | null;
};

const usualGrace_s = 10;
const longestStart_ms = 60_000;
const longestTimer_ms = 2 ** 31 - 1;
const firstErrorsLength = 4096;

/** Resolves when podman has exited and all output has been delivered. */
export async function runProgram(
  podman: Podman,
  spec: RunSpec,
  hooks: RunHooks,
  signal: AbortSignal,
  surroundings: Surroundings,
): Promise<EndedProgram> {
  const { folder } = surroundings;
  const run = await spawnPodman(podman, spec, surroundings);
  const { ended } = run;
  const started = Promise.withResolvers<void>();
  let stopping: Promise<void> | undefined;
  const cleanUps: (() => void)[] = [];

  const stop = (reason: StopReason) => {
    if (stopping) return;
    ended.stopped = reason;
    const asked = spec.grace_seconds ?? usualGrace_s;
    const graceSeconds = reason === 'cancel' || reason === 'timeout' ? asked : 0;
    stopping = stopRun(podman, run, spec.name, started.promise, graceSeconds);
  };
  const cancel = () => stop('cancel');
  const noteStart = () => {
    // Podman's monitor writes it when setup is complete, some 10 ms before the program's first
    // instruction.
    if (ended.has_started || !existsSync(run.pid_file)) return;
    ended.has_started = true;
    // Now, because later releases of podman delete it with the container.
    ended.container_id = textIn(run.id_file);
    started.resolve();
    // The engine has read it.
    void rm(run.env_file, { force: true }).catch(() => undefined);
    hooks.onStarted?.();
    cleanUps.push(...watchProgram(spec, hooks, ended, stop));
  };

  const watcher = watch(folder, noteStart);
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const taken = takeOutput(run, noteStart, hooks);
  taken.catch(() => stop('broken'));
  try {
    await run.exited;
    noteStart();
    await stopping;
    const isTaken = await settled(taken, stopping ? 10_000 : 2000);
    // It may be open in a process that podman had just forked when it was told to end.
    if (!isTaken) await endLeftProcesses(run.pid_file);
    // After a stop, output that is not taken must not delay the end.
    if (!stopping) await taken;
    if (ended.stopped === 'broken') await taken;
    return ended;
  } finally {
    watcher.close();
    signal.removeEventListener('abort', cancel);
    for (const cleanUp of cleanUps) cleanUp();
  }
}

export const pidFileIn = (folder: string) => join(folder, 'pid');

function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

async function spawnPodman(
  podman: Podman,
  spec: RunSpec,
  { folder, group, user_range }: Surroundings,
): Promise<Run> {
  const envFile = join(folder, 'env');
  const pidFile = pidFileIn(folder);
  const idFile = join(folder, 'id');
  await writeFile(envFile, environmentFile(spec.env), { mode: 0o600 });
  const child = spawn(
    podman.command,
    [
      ...podman.settings,
      ...(spec.network === 'egress' ? podman.egress_settings : []),
      ...runArguments(spec, {
        ...podman,
        pid_file: pidFile,
        id_file: idFile,
        env_file: envFile,
        cgroup_parent: group && `/${group}`,
        user_range,
      }),
    ],
    {
      cwd: folder,
      env: { ...podman.env, ...multilineEnvironment(spec.env) },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C on the worker's terminal must not reach podman, which would pass it on to the
      // program.
      detached: true,
    },
  );
  const ended: EndedProgram = {
    has_started: false,
    container_id: '',
    exit_code: null,
    stopped: null,
    disk_fault: null,
    first_errors: '',
  };
  const exited = once(child, 'exit').then(([code]) => {
    ended.exit_code = code as number | null;
  });
  // Callers that await it get the error; an unhandled rejection must not end the worker.
  exited.catch(() => undefined);
  return { child, pid_file: pidFile, id_file: idFile, env_file: envFile, ended, exited };
}

/** @returns functions that end the watching. */
function watchProgram(
  spec: RunSpec,
  hooks: RunHooks,
  ended: EndedProgram,
  stop: (reason: StopReason) => void,
): (() => void)[] {
  const milliseconds = Math.min(spec.timeout_seconds * 1000, longestTimer_ms);
  const clock = setTimeout(() => stop('timeout'), milliseconds);
  const unwatch = watchWorkspace(spec.workspace, spec.resources.disk_mb, {
    onProgress: (done, total) => hooks.onProgress?.(done, total),
    onDiskFull: (fault) => {
      ended.disk_fault = fault;
      stop('disk');
    },
  });
  return [() => clearTimeout(clock), unwatch];
}

/** At most one piece of each stream is in memory; then the pipes fill, and the program waits. */
async function takeOutput(run: Run, noteStart: () => void, hooks: RunHooks): Promise<void> {
  const { child, ended } = run;
  const take = async (stream: Readable, name: 'stdout' | 'stderr') => {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      noteStart();
      if (name === 'stderr' && ended.first_errors.length < firstErrorsLength) {
        ended.first_errors += chunk.toString('utf8', 0, firstErrorsLength);
      }
      // Output before the start is podman's own, about this machine.
      if (ended.has_started) await hooks.onOutput?.(chunk, name);
    }
  };
  await Promise.all([take(child.stdout, 'stdout'), take(child.stderr, 'stderr')]);
}

/**
 * SIGTERM, grace, SIGKILL. The container's first process is its init; if that is killed, the kernel
 * kills all others.
 */
async function stopRun(
  podman: Podman,
  run: Run,
  name: string,
  started: Promise<void>,
  graceSeconds: number,
): Promise<void> {
  // Before the program runs there is nothing to signal, and killing podman would leave mounts
  // behind.
  await settled(Promise.race([started, run.exited]), longestStart_ms);
  // A program that fills the disk must be stopped faster than a call of podman takes.
  if (graceSeconds === 0) await killInit(run);
  if (graceSeconds > 0) {
    await sendSignal(podman, run, name, 'TERM');
    if (await settled(run.exited, graceSeconds * 1000)) return;
  }
  await sendSignal(podman, run, name, 'KILL');
  if (await settled(run.exited, 10_000)) return;
  run.child.kill('SIGKILL');
}

/** Kills the container's first process; its id is not reused while podman's monitor runs. */
async function killInit({ pid_file, child }: Run): Promise<void> {
  const pid = Number(await readFile(pid_file, 'utf8').catch(() => ''));
  if (!(pid > 1) || child.exitCode !== null) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, or belongs to a user that only podman can signal.
  }
}

async function sendSignal(podman: Podman, run: Run, name: string, signal: 'TERM' | 'KILL') {
  for (let attempt = 0; attempt < 20; attempt++) {
    const args = ['kill', '--signal', signal, name];
    const { code } = await callProgram(podman, args);
    // Podman refuses this between creation and start, and after the end.
    if (code === 0 || (await settled(run.exited, 50))) return;
  }
}

/** Whether the promise settles within the time. */
async function settled(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const inTime = promise.then(
    () => true,
    () => true,
  );
  const answer = await Promise.race([inTime, late]);
  timer.abort();
  return answer;
}
