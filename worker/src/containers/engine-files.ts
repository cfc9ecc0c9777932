/**
 * The engine's configuration, storage and scratch folders, all of them of this installation alone.
 * The machine's own podman stays as it is: its images are not seen, its settings neither used nor
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
  /** For what outlives this process: when images were used. */
  scratch: string;
  /** In memory: a folder per container being started or run, with its environment in it. */
  private_dir: string;
  private_in_memory: boolean;
  /** In memory: what the engine itself notes of its containers. Null where that is below `storage`. */
  state_in_memory: string | null;
  containers_conf: string;
  storage_conf: string;
  seccomp: string | null;
  open_files: number;
  /** Short and stable for one state_dir: the parent of all its containers' cgroups. */
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
    containers_conf: join(options.state_dir, 'containers.conf'),
    storage_conf: join(options.state_dir, 'storage.conf'),
    seccomp: join(options.state_dir, 'seccomp.json'),
    open_files: await mostOpenFiles(),
    cgroup: `cogworks-${id}`,
  };
  for (const folder of [options.state_dir, files.scratch]) await makePrivate(folder);
  // Left by an earlier worker of this folder that was killed.
  await rm(files.private_dir, { recursive: true, force: true });
  await makeOwn(files.private_dir);
  if (files.state_in_memory) await keepInMemory(files.storage, files.state_in_memory);
  await forgetBeforeReboot(runDir);

  await writeFile(files.containers_conf, await containersConf(runDir, files.open_files));
  await writeFile(files.storage_conf, storageConf(files, driver));
  const profile = await strictProfile();
  if (profile === null) return { ...files, seccomp: null };
  await writeFile(join(options.state_dir, 'seccomp.json'), profile);
  return files;
}

async function makePrivate(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/** Podman refuses a longer path, because the sockets below it would exceed the kernel's limit. */
const longestRunRoot = 50;

/**
 * On a tmpfs where there is one: the engine writes many small files here for each container. A user
 * without a session (su, cron) has none, and in a deep folder the engine does not work.
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

/** Makes a folder where everybody may write. @throws when somebody else made it first. */
async function makeOwn(folder: string) {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error(`${folder} belongs to somebody else: remove it, then start again.`);
  }
}

/** A name in the first folder that is kept in memory and open to this user; null where none is. */
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
 * The engine writes the environment of each container, with its secrets, into the container's folder
 * and its database, and the database keeps what was deleted. So both are in memory, as links, because
 * there is no setting for it. A restart of the machine empties both and leaves the images.
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
 * The engine takes an empty run_dir as "the machine was restarted" and then forgets processes of
 * before. Where /run is no tmpfs it is never empty, and a process id that something else has by
 * now would be taken for a container's.
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
    // Output goes through the worker, which bounds and masks it; a second copy on disk would do neither.
    'log_driver = "none"',
    ...(init ? [`init_path = ${JSON.stringify(init)}`] : []),
    '[engine]',
    // crun 1.8 refuses machines that mount the controllers of cgroup v1 beside cgroup2; runc takes both.
    ...(runtime ? ['runtime = "runc"'] : []),
    `cgroup_manager = "${!root && systemd ? 'systemd' : 'cgroupfs'}"`,
    'events_logger = "none"',
    // The other kind of lock is one table for all installations on the machine.
    'lock_type = "file"',
    `tmp_dir = ${JSON.stringify(join(runDir, 'tmp'))}`,
    // Not static_dir: the engine's clean-up process derives it from graphroot, finds another
    // database than the one named here, and every container then takes 20 s to be seen as ended.
    '',
  ].join('\n');
}

const storageConf = (files: EngineFiles, driver: StorageDriver) =>
  [
    '[storage]',
    `driver = "${driver}"`,
    `graphroot = ${JSON.stringify(files.storage)}`,
    `runroot = ${JSON.stringify(runRoot(files.run_dir))}`,
    // Otherwise the folder is a mount point, and deleting the data directory fails.
    ...(driver === 'overlay' ? ['[storage.options.overlay]', 'skip_mount_home = "true"'] : []),
    '',
  ].join('\n');

/** At most 16384, and never more than this process itself may have. */
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
