/** Finds the container engine of this machine and prepares it. The worker calls this once. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { callProgram, type Program } from './command.ts';
import { writeEgressHooks } from './egress.ts';
import { type EngineFiles, runRoot, type StorageDriver, writeEngineFiles } from './engine-files.ts';
import { podmanEngine } from './podman.ts';
import { findInit, findProgram, noEngine, probePodman } from './probe.ts';
import { allowNothing } from './registry-allow.ts';
import type { ContainerEngine, EngineOptions, EngineReport } from './types.ts';
import { userRanges } from './user-ranges.ts';

export type OpenedEngine =
  | { report: EngineReport; engine: ContainerEngine }
  /** `report.problem` says why, `report.remedy` which command helps. */
  | { report: EngineReport; engine: null };

export async function openEngine(options: EngineOptions): Promise<OpenedEngine> {
  const command = options.command ?? (await findProgram('podman'));
  if (!command) return { report: noEngine(), engine: null };

  let files = await writeEngineFiles(options, 'overlay');
  let program = podmanProgram(command, files, 'overlay');
  let report = await probePodman(program, files, await egressSettings(options));
  if (!report.usable && /overlay/.test(report.problem ?? '')) {
    // A data directory on an overlay (a container's disk) does not support another overlay.
    files = await writeEngineFiles(options, 'vfs');
    program = podmanProgram(command, files, 'vfs');
    report = await probePodman(program, files, await egressSettings(options));
    report.warnings.push(`Images are stored without overlay, which is slow: ${options.state_dir}`);
  }
  if (!report.usable) return { report, engine: null };

  if (!files.private_in_memory) {
    report.warnings.push(
      `No folder in memory (/run, /dev/shm) is open to this user: secrets of running containers are kept in ${files.private_dir} until they end.`,
    );
  }
  const engine = podmanEngine({
    ...program,
    report,
    private_dir: files.private_dir,
    registry_allow: options.registry_allow ?? allowNothing,
    ranges: report.user_ranges ? userRanges(options.installation) : null,
    egress_settings: await egressSettings(options),
    installation: options.installation,
    scratch: files.scratch,
    containers_dir: files.containers_dir,
    events_log: files.events_log,
    seccomp: files.seccomp,
    open_files: files.open_files,
    // Without root, cgroups belong to the user's systemd, which names them.
    cgroup: report.rootless ? null : files.cgroup,
    has_init: (await findInit()) !== null,
    warn: options.warn ?? (() => undefined),
  });
  return { report, engine };
}

async function egressSettings({ state_dir, egress_allow = [] }: EngineOptions): Promise<string[]> {
  const ip = await findProgram('ip');
  return ip ? ['--hooks-dir', await writeEgressHooks(state_dir, ip, egress_allow)] : [];
}

/**
 * Deletes everything of this engine: containers, images, settings. Without root, image files belong
 * to user ids that only podman can act for, so a plain rm of the data directory fails.
 */
export async function removeEngine(options: EngineOptions): Promise<void> {
  const { engine, report } = await openEngine(options);
  await engine?.removeLeftovers();
  const files = await writeEngineFiles(options, 'overlay');
  if (report.rootless && report.usable) {
    const program = podmanProgram(report.command, files, 'overlay');
    const stores = [files.storage, files.state_in_memory ?? []].flat();
    await callProgram(program, ['unshare', 'rm', '-rf', '--', ...stores]);
    // Stops the process that holds the user's id mapping between calls.
    await callProgram(program, ['system', 'migrate']);
  }
  const folders = [files.run_dir, files.private_dir, files.state_in_memory, options.state_dir];
  for (const folder of folders.filter((path) => path !== null)) {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Storage folders are also given on the command line: without root, podman 4.3 ignores `graphroot`
 * and `tmp_dir` in the files, and would use the images of the user who runs the worker.
 */
const podmanProgram = (command: string, files: EngineFiles, driver: StorageDriver): Program => ({
  command,
  settings: [
    ...['--root', files.storage, '--runroot', runRoot(files.run_dir)],
    ...['--tmpdir', join(files.run_dir, 'tmp'), '--storage-driver', driver],
    ...(driver === 'overlay' ? ['--storage-opt', 'overlay.skip_mount_home=true'] : []),
  ],
  env: engineEnvironment(files),
});

/** Only what the engine needs: the worker's own environment holds its token. */
function engineEnvironment(files: EngineFiles): NodeJS.ProcessEnv {
  const kept = [
    ...[
      'PATH',
      'HOME',
      'XDG_RUNTIME_DIR',
      'DBUS_SESSION_BUS_ADDRESS',
      'CONTAINERS_REGISTRIES_CONF',
    ],
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
    ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'TMPDIR'],
  ];
  const env: NodeJS.ProcessEnv = {
    CONTAINERS_CONF: files.containers_conf,
    CONTAINERS_STORAGE_CONF: files.storage_conf,
  };
  for (const name of kept) if (process.env[name] !== undefined) env[name] = process.env[name];
  env.PATH = `${env.PATH ?? '/usr/bin:/bin'}:/usr/sbin:/sbin`;
  return env;
}
