/**
 * The arguments of `podman run`: what a tenant's program may do, see and use. Pure. The program is
 * assumed to be hostile; every line here restricts it.
 */

import { AttemptError } from '../attempt-error.ts';
import { egressArguments } from './egress.ts';
import type { EngineReport, RunSpec } from './types.ts';
import { mapping } from './user-ranges.ts';

/** nobody; owns nothing on any machine. */
export const containerUser = 65534;

export const labels = {
  installation: 'cogworks.installation',
  run: 'cogworks.run',
  attempt: 'cogworks.attempt',
};

export type RunSurroundings = {
  report: EngineReport;
  installation: string;
  seccomp: string | null;
  /** The parent of the container's own cgroup, which keeps its counters. Null: there is none. */
  cgroup_parent: string | null;
  pid_file: string;
  /** Podman writes the container's id here as soon as it has created it. */
  id_file: string;
  env_file: string;
  /** The first id of the container's own user range. Null: it has none. */
  user_range: number | null;
  has_init: boolean;
  /** The limit of open files; at most this process's own. */
  open_files: number;
};

export function runArguments(spec: RunSpec, around: RunSurroundings): string[] {
  const { report } = around;
  const { cpu, memory_mb: memory, disk_mb: disk } = spec.resources;
  const { user_range: userRange } = around;
  const [program, ...rest] = spec.command;
  const graceSeconds = spec.grace_seconds ?? 10;
  return [
    ...['run', '--rm', '--name', spec.name, '--pull=never'],
    ...['--pidfile', around.pid_file, '--cidfile', around.id_file],
    ...['--label', `${labels.installation}=${around.installation}`],
    ...[
      '--label',
      `${labels.run}=${spec.run_id}`,
      '--label',
      `${labels.attempt}=${spec.attempt_id}`,
    ],
    // If the worker dies, the engine's own monitor ends the container.
    ...['--timeout', String(Math.ceil(spec.timeout_seconds + graceSeconds + 60))],
    ...['--stop-signal=SIGTERM', '--sdnotify=ignore', '--log-driver=none'],

    ...['--cap-drop=ALL', '--security-opt=no-new-privileges'],
    ...(around.seccomp ? [`--security-opt=seccomp=${around.seccomp}`] : []),
    ...['--user', `${containerUser}:${containerUser}`, '--cgroupns=private'],
    // The worker's own user appears as `nobody` inside, so the worker can read what `nobody`
    // writes.
    ...(report.rootless ? [`--userns=keep-id:uid=${containerUser},gid=${containerUser}`] : []),
    ...(userRange === null ? [] : mapping(userRange)),
    // As process 1, a program without a handler ignores SIGTERM, so each cancel would take the full
    // grace.
    ...(around.has_init ? ['--init'] : []),

    ...networkArguments(spec),
    ...['--read-only', '--read-only-tmpfs=false', '--image-volume=tmpfs'],
    ...temporary(memory, disk),
    ...mount(spec.workspace.inputs, '/data/inputs', true),
    ...mount(spec.workspace.params, '/data/params.json', true),
    ...mount(spec.workspace.outputs, '/data/outputs', false),
    ...mount(spec.workspace.progress, '/data/progress', false),

    ...(report.limits.memory ? [`--memory=${memory}m`, `--memory-swap=${memory}m`] : []),
    ...(report.limits.cpu ? [`--cpus=${cpu}`] : []),
    // Podman's default is 2048, and causes an error if the limit cannot be set.
    `--pids-limit=${report.limits.pids ? pidsLimit(cpu) : 0}`,
    ...ulimits(disk, around.open_files),
    ...(around.cgroup_parent ? [`--cgroup-parent=${around.cgroup_parent}`] : []),

    // The worker's proxy settings may hold a password.
    ...['--http-proxy=false', '--env', 'HOME=/tmp', '--env-file', around.env_file],
    ...multilineNames(spec.env).flatMap((name) => ['--env', name]),
    ...(program === undefined ? [] : ['--entrypoint', JSON.stringify([program])]),
    spec.image_id,
    ...rest,
  ];
}

const networkArguments = ({ network }: RunSpec) =>
  network === 'egress' ? egressArguments : ['--network=none'];

/** One on the command line replaces all in the configuration file, so all are listed here. */
function ulimits(diskMb: number, openFiles: number): string[] {
  const limits = {
    // The engine's default, 1048576, is more than root may set without CAP_SYS_RESOURCE: exit 126.
    nofile: openFiles,
    nproc: 4096,
    core: 0,
    // No single file may exceed the disk limit, even if it grows between two measurements.
    fsize: diskMb * 1024 * 1024,
  };
  return Object.entries(limits).map(([name, limit]) => `--ulimit=${name}=${limit}:${limit}`);
}

/** In memory, so it counts against the memory limit as well. */
function temporary(memoryMb: number, diskMb: number): string[] {
  const size = Math.max(16, Math.min(diskMb, Math.floor(memoryMb / 2)));
  const options = 'rw,nosuid,nodev,noexec,mode=1777';
  return [
    ...['--tmpfs', `/tmp:${options},size=${size}m`],
    ...['--tmpfs', `/var/tmp:${options},size=${size}m`],
    ...['--tmpfs', `/run:${options},size=16m`, '--shm-size=64m'],
  ];
}

/** --mount is parsed as CSV, so a comma in a path has to be quoted. */
function mount(source: string, target: string, readOnly: boolean): string[] {
  const field = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const options = ['bind-propagation=rprivate', ...(readOnly ? ['ro=true'] : [])];
  return ['--mount', ['type=bind', field(`src=${source}`), `dst=${target}`, ...options].join(',')];
}

/** Enough for a thread pool per cpu and a build tool, too few to exhaust the machine. */
export const pidsLimit = (cpu: number) => Math.min(4096, 256 + Math.ceil(cpu) * 128);

/**
 * The env file. Only the engine reads it, so no secret is on a command line, which every user of
 * the machine can list. It cannot hold line breaks; see multilineEnvironment.
 */
export const environmentFile = (env: Record<string, string>): string =>
  Object.entries(env)
    .filter(([, value]) => !hasBreak(value))
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

/**
 * Values with line breaks are passed in the engine's own environment. Names there can affect the
 * engine (`LD_PRELOAD`, `PATH`), so only names of params are passed in this way.
 */
export const multilineEnvironment = (env: Record<string, string>): Record<string, string> =>
  Object.fromEntries(multilineNames(env).map((name) => [name, env[name] ?? '']));

const multilineNames = (env: Record<string, string>) =>
  Object.keys(env).filter((name) => hasBreak(env[name] ?? ''));

const hasBreak = (value: string) => /[\r\n]/.test(value);

/** The kernel's limit for one environment entry. */
const longestValue = 128 * 1024 - 1;

export function checkSpec(spec: RunSpec, report: EngineReport): void {
  const bad = (message: string) => new AttemptError('bad_params', message);
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/.test(spec.name)) throw bad('Not a container name.');
  if (spec.command.some((word) => word.includes('\0'))) {
    throw bad('The command holds a NUL character, which no program can be given.');
  }
  for (const [name, value] of Object.entries(spec.env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw bad(`"${name}" is not the name of an environment variable.`);
    }
    if (value.includes('\0')) throw bad(`The environment variable ${name} holds a NUL character.`);
    if (hasBreak(value) && !name.startsWith('PARAM_')) {
      throw bad(`The environment variable ${name} holds a line break; use a parameter instead.`);
    }
    if (Buffer.byteLength(`${name}=${value}`) > longestValue) {
      throw bad(
        `The environment variable ${name} is longer than 128 KiB; read params.json instead.`,
      );
    }
  }
  if (spec.resources.gpu > 0) {
    throw new AttemptError('infrastructure', 'This worker gives containers no GPU.');
  }
  if (spec.network === 'egress' && !report.network) {
    throw new AttemptError(
      'infrastructure',
      'This worker cannot give containers a network; its log says at its start why.',
    );
  }
}
