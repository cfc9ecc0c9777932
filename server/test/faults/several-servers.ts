/** Several servers as processes on one database, for tests of their effects on each other. */
import { type ChildProcess, execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { client } from '../cast.ts';
import { relayTo } from '../cut.ts';
import { cloneDatabase } from '../database.ts';
import { serverEnvironment, spawnServer } from '../installation.ts';
import { until } from '../until.ts';
import { killAll } from './processes.ts';

const root = join(import.meta.dirname, '../../..');
const stops: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

export type Server = { process: ChildProcess; url: string };

/** An empty installation that any number of servers may be started on; all of it goes with the file. */
export async function openForSeveral(settings: Record<string, string> = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-several-'));
  stops.push(() => rm(dir, { recursive: true, force: true }));
  const database = await cloneDatabase();
  stops.push(() => database.drop());
  const { url, cut } = await relayTo(database.to);
  stops.push(cut);
  stops.push(() => killAll(dir));
  const env = {
    ...serverEnvironment(dir),
    ...{ DATABASE_URL: url, PORT: '0', LOCAL_WORKER: 'off', LOG_LEVEL: 'warn' },
    ...settings,
  };
  const lines: string[] = [];
  const start = async (): Promise<Server> => {
    const own: string[] = [];
    const process = spawnServer(env, own);
    const ready = await until('the server is ready', () => {
      if (process.exitCode !== null) throw new Error(own.join('\n'));
      return /ready at (\S+)/.exec(own.join('\n'))?.[1];
    });
    process.once('exit', () => lines.push(...own));
    return { process, url: ready };
  };
  const admin = async (...command: string[]) => {
    const options = { cwd: root, env };
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['server/src/admin.ts', ...command], options);
    return stdout.trim();
  };
  /** The first admin at each of the servers, which issue tokens under URLs of their own. */
  const adminAt = async (servers: readonly Server[]) => {
    const key = await admin(
      'create-api-key',
      ...['--email', 'admin@localhost', '--description', 'test'],
    );
    return Promise.all(
      servers.map(async (server) => {
        const { body } = await client(server.url).post('/api-keys/token', { api_key: key });
        return client(server.url, body.access_token);
      }),
    );
  };
  /** `lines`: what the servers that have ended said. */
  return { dir, env, db: database.db, lines, start, admin, adminAt };
}
