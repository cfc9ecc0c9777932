/**
 * The engine's configuration, storage and scratch folders, used by this installation alone. The
 * machine's own podman is not affected: its images are not visible, its settings neither used nor
 * changed.
 */
import { createHash } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  cp,
  lstat,
  mkdir,
  readFile,
  rm,
  statfs,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { strictProfile } from './seccomp.ts';
import type { EngineOptions } from './types.ts';

export type StorageDriver = 'overlay' | 'vfs';

export type EngineFiles = {
  storage: string;
  run_dir: string;
  /** For data that outlives this process: when images were used. */
  scratch: string;
  /** In memory: a folder for each container being started or run, with its environment. */
  private_dir: string;
  private_in_memory: boolean;
  /** In memory: the engine's own records of its containers. Null if they are below `storage`. */
  state_in_memory: string | null;
  /** The engine's folder of each container, named by its id. */
  containers_dir: string;
  events_log: string;
  containers_conf: string;
  storage_conf: string;
  /** A folder for the start of PATH, with a `dpkg-query` that knows no package. */
  without_packages: string;
  seccomp: string | null;
  open_files: number;
  /** Short and stable for each state_dir: the parent of all its containers' cgroups. */
  cgroup: string;
};

export async function writeEngineFiles(
  options: EngineOptions,
  driver: StorageDriver,
): Promise<EngineFiles> {
  const id = createHash('sha256').update(options.state_dir).digest('hex').slice(0, 12);
  const runDir = options.run_dir ?? (await defaultRunDir(options.state_dir, `cogworks-${id}`));
  const memory = await memoryDir(`cogworks-${id}-private`);
  const files: EngineFiles = {
    storage: join(options.state_dir, 'storage'),
    run_dir: runDir,
    scratch: join(options.state_dir, 'runs'),
    private_dir: memory ?? join(options.state_dir, 'private'),
    private_in_memory: memory !== null,
    state_in_memory: await memoryDir(`cogworks-${id}-state`),
    containers_dir: join(options.state_dir, 'storage', `${driver}-containers`),
    events_log: join(runDir, 'tmp', 'events', 'events.log'),
    containers_conf: join(options.state_dir, 'containers.conf'),
    storage_conf: join(options.state_dir, 'storage.conf'),
    without_packages: join(options.state_dir, 'without-packages'),
    seccomp: join(options.state_dir, 'seccomp.json'),
    open_files: await mostOpenFiles(),
    cgroup: `cogworks-${id}`,
  };
  const kept = [options.state_dir, files.scratch, files.without_packages];
  for (const folder of kept) await makePrivate(folder);
  // Left by an earlier worker of this folder that was killed.
  await rm(files.private_dir, { recursive: true, force: true });
  await makeOwn(files.private_dir);
  if (files.state_in_memory) await keepInMemory(files.storage, files.state_in_memory);
  await forgetBeforeReboot(runDir);

  await writeFile(files.containers_conf, await containersConf(runDir, files.open_files));
  await writeFile(files.storage_conf, storageConf(files, driver));
  await writeFile(join(files.without_packages, 'dpkg-query'), '#!/bin/sh\nexit 1\n', {
    mode: 0o700,
  });
  const profile = await strictProfile();
  if (profile === null) return { ...files, seccomp: null };
  await writeFile(join(options.state_dir, 'seccomp.json'), profile);
  return files;
}

async function makePrivate(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/** Podman refuses longer paths, because the sockets below would exceed the kernel's limit. */
const longestRunRoot = 50;

/**
 * On a tmpfs if there is one: the engine writes many small files here for each container. A user
 * without a session (su, cron) has none, and the engine does not work in a deep folder.
 */
async function defaultRunDir(stateDir: string, name: string): Promise<string> {
  const parent = process.getuid?.() === 0 ? '/run' : process.env.XDG_RUNTIME_DIR;
  const writable =
    parent &&
    (await access(parent, constants.W_OK).then(
      () => true,
      () => false,
    ));
  return shortEnough(writable ? join(parent, name) : join(stateDir, 'run'), name);
}

export async function shortEnough(runDir: string, name: string): Promise<string> {
  if (Buffer.byteLength(runRoot(runDir)) <= longestRunRoot) return runDir;
  // Programs that clean /tmp by age keep names with this prefix.
  const short = `/tmp/podman-run-${name}`;
  await makeOwn(short);
  return short;
}

export const runRoot = (runDir: string) => join(runDir, 'storage');

/** Creates a folder of our own in a world-writable one. @throws if it belongs to another user. */
async function makeOwn(folder: string) {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error(`${folder} belongs to somebody else: remove it, then start again.`);
  }
}

/** A path in the first memory-backed folder open to this user; null if there is none. */
async function memoryDir(name: string): Promise<string | null> {
  for (const parent of [process.env.XDG_RUNTIME_DIR, '/run', '/dev/shm']) {
    if (!parent) continue;
    const found = await statfs(parent).catch(() => null);
    const isOpen = await access(parent, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (found?.type === tmpfs && isOpen) return join(parent, name);
  }
  return null;
}

const tmpfs = 0x01021994;

/**
 * The engine writes each container's environment, with its secrets, into the container's folder and
 * its database, and the database keeps deleted data. There is no setting for this, so both are
 * links into memory. A restart of the machine empties both and leaves the images.
 */
async function keepInMemory(storage: string, memory: string): Promise<void> {
  await mkdir(storage, { recursive: true, mode: 0o700 });
  await makeOwn(memory);
  for (const name of ['libpod', 'overlay-containers', 'vfs-containers']) {
    const [link, target] = [join(storage, name), join(memory, name)];
    await mkdir(target, { recursive: true, mode: 0o700 });
    const found = await lstat(link).catch(() => null);
    // Left by an earlier release.
    if (found?.isDirectory()) {
      await cp(link, target, { recursive: true });
      await rm(link, { recursive: true, force: true });
    }
    if (!found?.isSymbolicLink()) await symlink(target, link);
  }
}

/**
 * The engine takes an empty run_dir to mean that the machine was restarted, and then forgets
 * earlier processes. If /run is not a tmpfs it is never empty, and a reused process id could be
 * mistaken for a container's.
 */
async function forgetBeforeReboot(runDir: string) {
  const mark = join(runDir, 'boot_id');
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const before = await readFile(mark, 'utf8').catch(() => null);
  if (before !== null && before !== boot) await rm(runDir, { recursive: true, force: true });
  await makePrivate(runDir);
  await writeFile(mark, boot);
}

async function containersConf(runDir: string, openFiles: number): Promise<string> {
  const root = process.getuid?.() === 0;
  const systemd = await exists('/run/systemd/system');
  const init = await firstOf(['/usr/bin/catatonit', '/usr/libexec/podman/catatonit']);
  const runtime = await firstOf(['/usr/sbin/runc', '/usr/bin/runc', '/usr/local/sbin/runc']);
  return [
    '# Written by Cogworks at each start; changes here are lost.',
    '[containers]',
    `default_ulimits = ["nofile=${openFiles}:${openFiles}", "nproc=4096:4096"]`,
    // Output goes through the worker, which limits and masks it; a second copy on disk would not
    // be.
    'log_driver = "none"',
    ...(init ? [`init_path = ${JSON.stringify(init)}`] : []),
    '[engine]',
    // crun 1.8 refuses machines that mount cgroup v1 controllers beside cgroup2; runc accepts both.
    ...(runtime ? ['runtime = "runc"'] : []),
    `cgroup_manager = "${!root && systemd ? 'systemd' : 'cgroupfs'}"`,
    // In tmp_dir, about 1 MB: tells the exit codes of containers that are removed.
    'events_logger = "file"',
    // The other kind of lock uses one table for all installations on the machine.
    'lock_type = "file"',
    `tmp_dir = ${JSON.stringify(join(runDir, 'tmp'))}`,
    // Not static_dir: the engine's clean-up process derives it from graphroot, finds a different
    // database from the one named here, and every container then takes 20 s to be seen as ended.
    '',
  ].join('\n');
}

const storageConf = (files: EngineFiles, driver: StorageDriver) =>
  [
    '[storage]',
    `driver = "${driver}"`,
    `graphroot = ${JSON.stringify(files.storage)}`,
    `runroot = ${JSON.stringify(runRoot(files.run_dir))}`,
    // Otherwise the folder is a mount point, and the data directory cannot be deleted.
    ...(driver === 'overlay' ? ['[storage.options.overlay]', 'skip_mount_home = "true"'] : []),
    '',
  ].join('\n');

/** At most 16384, and never above this process's own limit. */
async function mostOpenFiles(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const hard = Number(/^Max open files\s+\d+\s+(\d+)/m.exec(limits)?.[1] ?? 16384);
  return Math.min(16384, hard);
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function firstOf(paths: string[]): Promise<string | null> {
  for (const path of paths) if (await exists(path)) return path;
  return null;
}
