/** Finds the container engine of this machine and prepares it. The worker calls this once. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { callProgram, type Program } from './command.ts';
import { writeEgressHooks } from './egress.ts';
import { type EngineFiles, runRoot, type StorageDriver, writeEngineFiles } from './engine-files.ts';
import { podmanEngine } from './podman.ts';
import { askPodman, findInit, findProgram, noEngine, probePodman } from './probe.ts';
import { allowNothing } from './registry-allow.ts';
import type { ContainerEngine, EngineOptions, EngineReport } from './types.ts';
import { userRanges } from './user-ranges.ts';

export type OpenedEngine =
  | { report: EngineReport; engine: ContainerEngine }
  /** `report.problem` says why, `report.remedy` which command helps. */
  | { report: EngineReport; engine: null };

export async function openEngine(options: EngineOptions): Promise<OpenedEngine> {
  const command = await commandOf(options);
  if (!command) return { report: noEngine(), engine: null };

  const egress = await egressSettings(options);
  const podman = await prepare(options, command, (...found) => probePodman(...found, egress));
  const { files, report } = podman;
  if (!report.usable) return { report, engine: null };

  if (podman.driver !== 'overlay') {
    report.warnings.push(`Images are stored without overlay, which is slow: ${options.state_dir}`);
  }
  if (!files.private_in_memory) {
    report.warnings.push(
      `No folder in memory (/run, /dev/shm) is open to this user: secrets of running containers are kept in ${files.private_dir} until they end.`,
    );
  }
  return { report, engine: await engineOf(options, podman, egress) };
}

const commandOf = async ({ command }: EngineOptions) => command ?? (await findProgram('podman'));

type Prepared = {
  driver: StorageDriver;
  files: EngineFiles;
  program: Program;
  report: EngineReport;
};

/** Writes what podman needs, and looks with `look` what it can do with it. */
async function prepare(
  options: EngineOptions,
  command: string,
  look: (program: Program, files: EngineFiles) => Promise<EngineReport>,
): Promise<Prepared> {
  const prepareFor = async (driver: StorageDriver) => {
    const files = await writeEngineFiles(options, driver);
    const program = podmanProgram(command, files, driver);
    return { driver, files, program, report: await look(program, files) };
  };
  const usual = await prepareFor('overlay');
  // A data directory on an overlay (a container's disk) does not support another overlay.
  const needsOther = !usual.report.usable && /overlay/.test(usual.report.problem ?? '');
  return needsOther ? prepareFor('vfs') : usual;
}

async function engineOf(
  options: EngineOptions,
  { program, files, report }: Prepared,
  egress_settings: readonly string[],
): Promise<ContainerEngine> {
  return podmanEngine({
    ...program,
    report,
    private_dir: files.private_dir,
    registry_allow: options.registry_allow ?? allowNothing,
    ranges: report.user_ranges ? userRanges(options.installation) : null,
    egress_settings,
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
  const command = await commandOf(options);
  const podman = command ? await prepare(options, command, askPodman) : undefined;
  if (podman?.report.usable) await emptyStores(options, podman);
  const files = podman?.files ?? (await writeEngineFiles(options, 'overlay'));
  const folders = [files.run_dir, files.private_dir, files.state_in_memory, options.state_dir];
  for (const folder of folders.filter((path) => path !== null)) {
    await removeFolder(folder);
  }
}

/**
 * A container that was killed just now may still be mounted for a moment, and its monitor may still
 * write. `maxRetries` of `rm` waits again in each folder above: three levels up that took minutes.
 */
async function removeFolder(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await rm(path, { recursive: true, force: true });
    } catch (error) {
      if (!isInUse(error) || tries === 20) throw error;
    }
    await delay(500);
  }
}

const isInUse = (error: unknown) =>
  ['EBUSY', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '');

async function emptyStores(options: EngineOptions, podman: Prepared): Promise<void> {
  const { program, files, report } = podman;
  await (await engineOf(options, podman, [])).removeLeftovers();
  if (!report.rootless) return;
  const stores = [files.storage, files.state_in_memory ?? []].flat();
  await callProgram(program, ['unshare', 'rm', '-rf', '--', ...stores]);
  // Stops the process that holds the user's id mapping between calls.
  await callProgram(program, ['system', 'migrate']);
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
