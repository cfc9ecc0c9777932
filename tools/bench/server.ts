/** A server for a benchmark: a process of its own, on a fresh folder, without limits per minute. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type Connection, connect } from '../../server/src/db/connection.ts';
import { runningEmbedded } from '../../server/src/db/embedded.ts';

export type BenchServer = {
  url: string;
  db: Connection;
  /** Runs the operator's command line. @returns what it prints. */
  admin(...args: string[]): Promise<string>;
  stop(): Promise<void>;
};

/** @param checkout whose code runs: another folder compares another commit. */
export async function startBenchServer(checkout: string): Promise<BenchServer> {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-bench-'));
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    PATH,
    HOME,
    DATA_DIR: join(dir, 'data'),
    PORT: '0',
    LOCAL_WORKER: 'off',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_DEFAULT: '0',
    RATE_LIMIT_UPLOAD: '0',
    RATE_LIMIT_HEARTBEAT: '0',
  };
  const server = spawn(process.execPath, ['server/src/main.ts', 'serve'], {
    cwd: checkout,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await readyAt(server);
  const at = await runningEmbedded(join(env.DATA_DIR, 'postgres'));
  if (!at) throw new Error('There is no database.');
  const db = connect(at('cogworks'), { max: 2 });
  return {
    url,
    db,
    admin: async (...args) => {
      const command = ['server/src/admin.ts', ...args];
      return (
        await promisify(execFile)(process.execPath, command, { cwd: checkout, env })
      ).stdout.trim();
    },
    stop: async () => {
      await db.close();
      if (server.exitCode === null && server.signalCode === null) {
        server.kill('SIGTERM');
        await once(server, 'exit');
      }
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function readyAt(server: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  server.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
  if (server.stdout) {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const url = /ready at (\S+)/.exec(line)?.[1];
      if (url) resolve(url);
    });
  }
  return promise;
}
