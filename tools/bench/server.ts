/** A server for a benchmark: a process of its own, on a fresh folder, without limits per minute. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type Connection, type ConnectTo, connect } from '../../server/src/db/connection.ts';
import { runningEmbedded } from '../../server/src/db/embedded.ts';
import { stopInAnyCase } from './cleanup.ts';

export type BenchServer = {
  url: string;
  /** Its DATA_DIR. */
  dir: string;
  pid: number;
  db: Connection;
  /** How to connect to a database beside the server's own. */
  at(database: string): ConnectTo;
  /** Runs the operator's command line. @returns what it prints. */
  admin(...args: string[]): Promise<string>;
  stop(): Promise<void>;
};

type Options = {
  /** Over the usual settings. */
  env?: Record<string, string>;
  /** Called when all has stopped, before the folder is removed. */
  beforeRemoval?(dir: string): Promise<void>;
};

/** @param checkout whose code runs: another folder compares another commit. */
export async function startBenchServer(
  checkout: string,
  { env: settings = {}, beforeRemoval }: Options = {},
): Promise<BenchServer> {
  const folder = await mkdtemp(join(tmpdir(), 'cogworks-bench-'));
  const { PATH = '', HOME = '' } = process.env;
  const dir = join(folder, 'data');
  const env = {
    PATH,
    HOME,
    DATA_DIR: dir,
    PORT: '0',
    LOCAL_WORKER: 'off',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_DEFAULT: '0',
    RATE_LIMIT_UPLOAD: '0',
    RATE_LIMIT_HEARTBEAT: '0',
    ...settings,
  };
  // With the options of this process, which `npm start` gives to a server as well.
  const program = [...process.execArgv, 'server/src/main.ts', 'serve'];
  const server = spawn(process.execPath, program, {
    cwd: checkout,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stopServer = stopInAnyCase(async () => {
    if (server.exitCode === null && server.signalCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
    await beforeRemoval?.(dir);
    await rm(folder, { recursive: true, force: true });
  });
  try {
    const url = await readyAt(server);
    const at = await databaseOf(env);
    const db = connect(at('cogworks'), { max: 2 });
    return {
      url,
      dir,
      pid: server.pid ?? 0,
      db,
      at,
      admin: async (...args) => {
        const command = ['server/src/admin.ts', ...args];
        const options = { cwd: checkout, env };
        return (await promisify(execFile)(process.execPath, command, options)).stdout.trim();
      },
      stop: async () => {
        await db.close();
        await stopServer();
      },
    };
  } catch (error) {
    await stopServer();
    throw error;
  }
}

async function databaseOf(env: { DATA_DIR: string; DATABASE_URL?: string }) {
  const { DATABASE_URL } = env;
  if (DATABASE_URL) {
    return (name: string): ConnectTo => ({ url: new URL(`/${name}`, DATABASE_URL).href });
  }
  const at = await runningEmbedded(join(env.DATA_DIR, 'postgres'));
  if (!at) throw new Error('There is no database.');
  return at;
}

/** The bearer token of the first admin; it lives for an hour. */
export async function signInAsAdmin(server: Pick<BenchServer, 'url' | 'admin'>): Promise<string> {
  return tokenOf(server, 'admin@localhost');
}

/** Members of the first admin's tenant: of one user only so many requests may wait at once. */
export async function signInAsMembers(
  server: Pick<BenchServer, 'url' | 'admin' | 'db'>,
  count: number,
): Promise<string[]> {
  const [tenant] = await server.db<{ id: number }[]>`select min(id) as id from tenants`;
  const tokens: string[] = [];
  for (let place = 0; place < count; place += 1) {
    const email = `member-${place}@example.test`;
    await server.admin('create-user', '--tenant', String(tenant?.id), '--email', email);
    tokens.push(await tokenOf(server, email));
  }
  return tokens;
}

export async function tokenOf(
  { url, admin }: Pick<BenchServer, 'url' | 'admin'>,
  email: string,
): Promise<string> {
  const api_key = await admin('create-api-key', '--email', email, '--description', 'bench');
  const response = await fetch(`${url}/api-keys/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

function readyAt(server: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  server.once('error', reject);
  server.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
  if (server.stdout) {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const url = /ready at (\S+)/.exec(line)?.[1];
      if (url) resolve(url);
    });
  }
  return promise;
}
