/**
 * Finds out what the engine on this machine can do, by asking it and by running a container.
 * Version numbers are not enough: the same podman enforces limits as root, and none as a user on
 * cgroup v1.
 */
import { access, chmod, chown, constants, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { release, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { callProgram, lastLine, type Program } from './command.ts';
import { egressArguments } from './egress.ts';
import type { EngineFiles } from './engine-files.ts';
import type { EngineReport } from './types.ts';
import { mapping, userRanges } from './user-ranges.ts';

export const installLine =
  'sudo apt-get install -y --no-install-recommends podman runc catatonit slirp4netns iproute2 uidmap';

export async function findProgram(name: string, path = process.env.PATH): Promise<string | null> {
  // A service's PATH often lacks the last two, and runc is in sbin.
  for (const folder of [...(path ?? '').split(delimiter), '/usr/sbin', '/sbin']) {
    if (folder === '') continue;
    const file = join(folder, name);
    if (
      await access(file).then(
        () => true,
        () => false,
      )
    )
      return file;
  }
  return null;
}

export const noEngine = (): EngineReport => ({
  ...blank,
  kind: 'none',
  problem: 'No container engine (podman) is installed on this machine.',
  remedy: installLine,
});

const blank = {
  command: '',
  version: '',
  usable: false,
  rootless: process.getuid?.() !== 0,
  cgroup_version: 1 as const,
  limits: { memory: false, cpu: false, pids: false },
  network: false,
  user_ranges: false,
  warnings: [],
};

type PodmanInfo = {
  host: {
    cgroupVersion: string;
    cgroupControllers: string[] | null;
    security: { rootless: boolean };
  };
  version: { Version: string };
};

const infoAsJson = ['info', '--format', 'json'];

/** What podman says of itself and of this machine. Whether containers start is not tried. */
export async function askPodman(program: Program, files: EngineFiles): Promise<EngineReport> {
  const { command, env } = program;
  // It tells, too, which packages its programs are of: to find that out takes most of its time.
  const PATH = [files.without_packages, env.PATH].join(delimiter);
  const asked = await callProgram({ ...program, env: { ...env, PATH } }, infoAsJson, {
    timeout_ms: 60_000,
  }).catch((error: Error) => ({ code: null, stdout: '', stderr: error.message }));
  if (asked.code !== 0) {
    return unusable(command, `podman does not work here: ${lastLine(asked.stderr)}`);
  }
  const info = podmanInfo(asked.stdout);
  if (!info) return unusable(command, 'podman does not work here: its `info` is not JSON.');
  const { host, version } = info;
  const cgroupVersion = host.cgroupVersion === 'v2' ? 2 : 1;
  const controllers = new Set(host.cgroupControllers ?? []);
  const limits = {
    memory: controllers.has('memory'),
    cpu: controllers.has('cpu'),
    pids: controllers.has('pids'),
  };
  return {
    kind: 'podman',
    command,
    version: version.Version,
    usable: true,
    rootless: host.security.rootless,
    cgroup_version: cgroupVersion,
    limits,
    network: false,
    user_ranges: false,
    warnings: [],
  };
}

/**
 * @param egress settings for a run with egress; empty if the machine lacks `ip` to guard it with.
 */
export async function probePodman(
  program: Program,
  files: EngineFiles,
  egress: readonly string[],
): Promise<EngineReport> {
  const report = await askPodman(program, files);
  if (!report.usable) return report;
  const fault = files.seccomp === null ? noProfile : await tryContainer(program, files);
  if (fault) return { ...report, usable: false, problem: fault, remedy: installLine };

  const noRanges = report.rootless ? null : await rangesFault(program, files);
  const noEgress = await egressFault(program, files, egress, report.rootless);
  const found = { ...report, user_ranges: !report.rootless && !noRanges, network: !noEgress };
  return {
    ...found,
    warnings: [
      ...warnings(found, (await findInit()) !== null),
      ...[noRanges, noEgress].flatMap((sentence) => sentence ?? []),
    ],
  };
}

/**
 * Since Linux 5.19 an image can be mounted with mapped ids; before, it would be copied for each
 * range.
 */
async function rangesFault(program: Program, files: EngineFiles): Promise<string | null> {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  const owner = userRanges('probe').take();
  const why =
    major < 5 || (major === 5 && minor < 19)
      ? `Linux ${release()} is older than 5.19`
      : await tryContainer(program, files, {
          arguments: ['--network=none', ...mapping(owner)],
          owner,
        });
  return (
    why &&
    `Containers of all tenants run as one user of this machine and share its limits (${why}). Use this worker for one tenant, or a newer kernel.`
  );
}

async function egressFault(
  program: Program,
  files: EngineFiles,
  settings: readonly string[],
  rootless: boolean,
): Promise<string | null> {
  const lead = 'Nodes with network "egress" cannot run here';
  const installed = await findProgram('slirp4netns');
  if (!installed || settings.length === 0) {
    const missing = [
      ...(installed ? [] : ['slirp4netns']),
      ...(settings.length ? [] : ['iproute2']),
    ];
    return `${lead}: sudo apt-get install -y ${missing.join(' ')}`;
  }
  const tun = await access('/dev/net/tun', constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!tun && rootless) {
    return `${lead}: /dev/net/tun is closed to this user or missing. As root: modprobe tun; chmod 666 /dev/net/tun`;
  }
  const fault = await tryContainer(program, files, { settings, arguments: egressArguments });
  return fault && `${lead}: ${fault}`;
}

/** Undefined if the output is not podman's. */
function podmanInfo(text: string): PodmanInfo | undefined {
  try {
    const info = JSON.parse(text);
    return info?.host?.security && info.version ? info : undefined;
  } catch {
    return undefined;
  }
}

const noProfile =
  'The list of allowed system calls (seccomp.json of the package golang-github-containers-common) is missing; containers would be too free without it.';

const unusable = (command: string, problem: string): EngineReport => ({
  ...blank,
  kind: 'podman',
  command,
  problem,
  remedy: installLine,
});

export const findInit = async () =>
  (await findProgram('catatonit')) ?? (await findProgram('catatonit', '/usr/libexec/podman'));

/**
 * Starts a container from a folder with a single static program, so that nothing must be pulled.
 * Returns a sentence if it fails.
 */
async function tryContainer(
  program: Program,
  files: EngineFiles,
  more: { settings?: readonly string[]; arguments: readonly string[]; owner?: number } = {
    arguments: ['--network=none'],
  },
): Promise<string | null> {
  const init = await findInit();
  if (!init) return null;
  // World-readable, because a container's user reads its image; the state folder is not.
  const root = await mkdtemp(join(tmpdir(), 'cogworks-probe-'));
  await chmod(root, 0o755);
  for (const folder of ['', 'tmp', 'etc']) {
    await mkdir(join(root, folder), { recursive: true });
    if (more.owner !== undefined) await chown(join(root, folder), more.owner, more.owner);
  }
  await copyFile(init, join(root, 'probe'));
  const { code, stderr } = await callProgram(
    program,
    [
      ...(more.settings ?? []),
      ...['run', '--rm', '--read-only', '--read-only-tmpfs=false', ...more.arguments],
      ...['--cap-drop=ALL', '--security-opt=no-new-privileges', '--log-driver=none'],
      ...['--security-opt', `seccomp=${files.seccomp}`],
      ...['--rootfs', root, '/probe', '-V'],
    ],
    { cwd: files.private_dir, timeout_ms: 60_000 },
  ).finally(() => rm(root, { recursive: true, force: true }));
  return code === 0 ? null : `podman cannot start a container here: ${lastLine(stderr)}`;
}

function warnings({ limits, rootless, cgroup_version }: EngineReport, init: boolean) {
  const missing = Object.entries(limits)
    .filter(([, real]) => !real)
    .map(([name]) => name);
  return [
    ...(missing.length > 0
      ? [
          `Limits of ${missing.join(', ')} are not enforced for containers on this machine${
            rootless && cgroup_version === 1
              ? ' (podman without root on cgroup version 1 has none)'
              : ''
          }: one program can starve the others. Run the worker as root, or use it for trusted workflows only.`,
        ]
      : []),
    ...(init
      ? []
      : ['Programs that do not handle SIGTERM take the whole grace: install catatonit.']),
  ];
}
