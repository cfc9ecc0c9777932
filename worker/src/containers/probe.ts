/**
 * What the engine on this machine can do: asked, and tried by running one container. Documentation
 * does not tell: the same podman has real limits as root and none as a user on an older kernel set-up.
 */
import { access, copyFile, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { callProgram, lastLine, type Program } from './command.ts';
import type { EngineFiles } from './engine-files.ts';
import type { EngineReport } from './types.ts';

export const INSTALL_LINE =
  'sudo apt-get install -y --no-install-recommends podman runc catatonit slirp4netns uidmap';

export async function findProgram(name: string, path = process.env.PATH): Promise<string | null> {
  // A service's PATH often lacks the last two, and runc lives in sbin.
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
  remedy: INSTALL_LINE,
});

const blank = {
  command: '',
  version: '',
  usable: false,
  rootless: process.getuid?.() !== 0,
  cgroup_version: 1 as const,
  limits: { memory: false, cpu: false, pids: false },
  network: false,
  warnings: [],
};

interface PodmanInfo {
  host: {
    cgroupVersion: string;
    cgroupControllers: string[] | null;
    security: { rootless: boolean };
  };
  version: { Version: string };
}

export async function probePodman(program: Program, files: EngineFiles): Promise<EngineReport> {
  const { command } = program;
  const asked = await callProgram(program, ['info', '--format', 'json'], {
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
  const report: EngineReport = {
    kind: 'podman',
    command,
    version: version.Version,
    usable: true,
    rootless: host.security.rootless,
    cgroup_version: cgroupVersion,
    limits,
    network: (await findProgram('slirp4netns')) !== null,
    warnings: [],
  };
  const fault = files.seccomp === null ? NO_PROFILE : await tryContainer(program, files);
  if (fault) return { ...report, usable: false, problem: fault, remedy: INSTALL_LINE };
  return { ...report, warnings: warnings(report, (await findInit()) !== null) };
}

/** Undefined for whatever else a program of that name may print. */
function podmanInfo(text: string): PodmanInfo | undefined {
  try {
    const info = JSON.parse(text);
    return info?.host?.security && info.version ? info : undefined;
  } catch {
    return undefined;
  }
}

const NO_PROFILE =
  'The list of allowed system calls (seccomp.json of the package golang-github-containers-common) is missing; containers would be too free without it.';

const unusable = (command: string, problem: string): EngineReport => ({
  ...blank,
  kind: 'podman',
  command,
  problem,
  remedy: INSTALL_LINE,
});

export const findInit = async () =>
  (await findProgram('catatonit')) ?? (await findProgram('catatonit', '/usr/libexec/podman'));

/**
 * Starts one container of a folder with a single static program in it, so that nothing must be pulled.
 * A sentence when it fails.
 */
async function tryContainer(program: Program, files: EngineFiles): Promise<string | null> {
  const init = await findInit();
  if (!init) return null;
  const root = join(files.scratch, 'probe');
  await mkdir(join(root, 'tmp'), { recursive: true });
  await copyFile(init, join(root, 'probe'));
  const { code, stderr } = await callProgram(
    program,
    [
      ...['run', '--rm', '--network=none', '--read-only', '--read-only-tmpfs=false'],
      ...['--cap-drop=ALL', '--security-opt=no-new-privileges', '--log-driver=none'],
      ...['--security-opt', `seccomp=${files.seccomp}`],
      ...['--rootfs', root, '/probe', '-V'],
    ],
    { cwd: files.scratch, timeout_ms: 60_000 },
  );
  return code === 0 ? null : `podman cannot start a container here: ${lastLine(stderr)}`;
}

function warnings({ limits, rootless, cgroup_version, network }: EngineReport, init: boolean) {
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
    ...(network ? [] : ['Nodes with network "egress" cannot run here: install slirp4netns.']),
    ...(init
      ? []
      : ['Programs that do not handle SIGTERM take the whole grace: install catatonit.']),
  ];
}
