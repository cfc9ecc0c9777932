/** The part of a run in which the program lives: streams, clock, disk watch, and how it is ended. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { callProgram, type Program } from './command.ts';
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

/** What one call of podman needs to know, and what is known about this machine. */
export interface Podman
  extends Program,
    Omit<RunSurroundings, 'pid_file' | 'env_file' | 'cgroup_parent' | 'user_range'> {
  scratch: string;
  /** A private folder per container is made in it. */
  private_dir: string;
  registry_allow: RegistryAllow;
  /** Null where containers have no user ids of their own. */
  ranges: UserRanges | null;
  /** Settings of the engine for runs with egress. */
  egress_settings: readonly string[];
  /** Null where groups above a container's own cannot be made. */
  cgroup: string | null;
  warn(message: string): void;
}

/** `broken`: a hook failed, so nobody takes the output any more. */
export type StopReason = 'cancel' | 'timeout' | 'disk' | 'broken';

export interface EndedProgram {
  started_at: Date | null;
  finished_at: Date;
  /** Podman's; null when a signal ended podman itself. */
  exit_code: number | null;
  stopped: StopReason | null;
  disk_fault: string | null;
  /** What podman said before the program ran, and the program's first words on stderr. */
  first_errors: string;
}

interface Run {
  child: ChildProcessByStdio<null, Readable, Readable>;
  pid_file: string;
  env_file: string;
  ended: EndedProgram;
  exited: Promise<unknown>;
}

/** What one container has to itself. */
export interface Surroundings {
  /** In memory. */
  folder: string;
  group: string | null;
  user_range: number | null;
}

const DEFAULT_GRACE_SECONDS = 10;
const START_TIMEOUT_MS = 60_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const FIRST_ERRORS_LENGTH = 4096;

/** Resolves when podman has exited and all output has been taken. */
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
    const asked = spec.grace_seconds ?? DEFAULT_GRACE_SECONDS;
    const graceSeconds = reason === 'cancel' || reason === 'timeout' ? asked : 0;
    stopping = stopRun(podman, run, spec.name, started.promise, graceSeconds);
  };
  const cancel = () => stop('cancel');
  const noteStart = () => {
    // Written by podman's monitor when all is set up, some 10 ms before the program's first instruction.
    if (ended.started_at || !existsSync(run.pid_file)) return;
    ended.started_at = new Date();
    started.resolve();
    // The engine has read it.
    void rm(run.env_file, { force: true }).catch(() => undefined);
    hooks.onStarted?.(ended.started_at);
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
    // A stopped program's last words are not waited for longer than this, should nobody take them.
    if (stopping) await settled(taken, 10_000);
    else await taken;
    if (ended.stopped === 'broken') await taken;
    return ended;
  } finally {
    watcher.close();
    signal.removeEventListener('abort', cancel);
    for (const cleanUp of cleanUps) cleanUp();
  }
}

async function spawnPodman(
  podman: Podman,
  spec: RunSpec,
  { folder, group, user_range }: Surroundings,
): Promise<Run> {
  const envFile = join(folder, 'env');
  const pidFile = join(folder, 'pid');
  await writeFile(envFile, environmentFile(spec.env), { mode: 0o600 });
  const child = spawn(
    podman.command,
    [
      ...podman.settings,
      ...(spec.network === 'egress' ? podman.egress_settings : []),
      ...runArguments(spec, {
        ...podman,
        pid_file: pidFile,
        env_file: envFile,
        cgroup_parent: group && `/${group}`,
        user_range,
      }),
    ],
    {
      cwd: folder,
      env: { ...podman.env, ...multilineEnvironment(spec.env) },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C on the worker's terminal must not reach it: podman would pass it on to the program.
      detached: true,
    },
  );
  const ended: EndedProgram = {
    started_at: null,
    finished_at: new Date(),
    exit_code: null,
    stopped: null,
    disk_fault: null,
    first_errors: '',
  };
  const exited = once(child, 'exit').then(([code]) => {
    ended.exit_code = code as number | null;
    ended.finished_at = new Date();
  });
  // Whoever waits for it sees the error; between two waits it must not end the worker.
  exited.catch(() => undefined);
  return { child, pid_file: pidFile, env_file: envFile, ended, exited };
}

/** Answers how to stop watching. */
function watchProgram(
  spec: RunSpec,
  hooks: RunHooks,
  ended: EndedProgram,
  stop: (reason: StopReason) => void,
): (() => void)[] {
  const milliseconds = Math.min(spec.timeout_seconds * 1000, LONGEST_TIMER_MS);
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

/** At most one piece of each stream is in memory; the pipes then fill, and the program waits. */
async function takeOutput(run: Run, noteStart: () => void, hooks: RunHooks): Promise<void> {
  const { child, ended } = run;
  const take = async (stream: Readable, name: 'stdout' | 'stderr') => {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      noteStart();
      if (name === 'stderr' && ended.first_errors.length < FIRST_ERRORS_LENGTH) {
        ended.first_errors += chunk.toString('utf8', 0, FIRST_ERRORS_LENGTH);
      }
      // Before the start it is podman that speaks, and of the worker's matters.
      if (ended.started_at) await hooks.onOutput?.(chunk, name);
    }
  };
  await Promise.all([take(child.stdout, 'stdout'), take(child.stderr, 'stderr')]);
}

/**
 * SIGTERM, grace, SIGKILL. The first process of the container is its init; when that is killed the
 * kernel kills all others with it.
 */
async function stopRun(
  podman: Podman,
  run: Run,
  name: string,
  started: Promise<void>,
  graceSeconds: number,
): Promise<void> {
  // Before the program runs there is nothing to signal, and killing podman half-way leaves mounts behind.
  await settled(Promise.race([started, run.exited]), START_TIMEOUT_MS);
  // One that fills the disk is not to go on for as long as a call of podman takes.
  if (graceSeconds === 0) await killInit(run);
  if (graceSeconds > 0) {
    await sendSignal(podman, run, name, 'TERM');
    if (await settled(run.exited, graceSeconds * 1000)) return;
  }
  await sendSignal(podman, run, name, 'KILL');
  if (await settled(run.exited, 10_000)) return;
  run.child.kill('SIGKILL');
}

/** The first process of the container; its number is no other's while podman, its keeper, runs. */
async function killInit({ pid_file, child }: Run): Promise<void> {
  const pid = Number(await readFile(pid_file, 'utf8').catch(() => ''));
  if (!(pid > 1) || child.exitCode !== null) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Ended by itself, or of a user that we may not signal; podman may.
  }
}

async function sendSignal(podman: Podman, run: Run, name: string, signal: 'TERM' | 'KILL') {
  for (let attempt = 0; attempt < 20; attempt++) {
    const args = ['kill', '--signal', signal, name];
    const { code } = await callProgram(podman, args);
    // It refuses in the moment between created and started, and when all is over.
    if (code === 0 || (await settled(run.exited, 50))) return;
  }
}

/** Whether the promise settled in time, however it did. */
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
