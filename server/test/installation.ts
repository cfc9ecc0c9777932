/**
 * A complete installation for one test file: the server process with its database, worker and
 * storage in a temporary folder, and a private registry with a small image. It can be killed and
 * restarted like a real one; nothing is simulated.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { isTerminal } from '@cogworks/graph/statuses';
import { busyboxImage, pushImage } from '../../tools/containers/images.ts';
import { type Registry, startRegistry } from '../../tools/containers/registry.ts';
import { ensureTestTools } from '../../tools/containers/setup.ts';
import { removeEngine } from '../../worker/src/containers/engine.ts';
import { type Connection, connect } from '../src/db/connection.ts';
import { runningEmbedded } from '../src/db/embedded.ts';
import { type Answer, client } from './cast.ts';
import { killAll, processesOf } from './faults/processes.ts';
import { copyNewDatabase } from './new-database.ts';
import { storageSettings } from './storage.ts';
import { patience_ms, until } from './until.ts';

const root = join(import.meta.dirname, '../..');

export type Installation = {
  /** Its DATA_DIR. */
  dir: string;
  registry: Registry;
  /** The small image, as its registry knows it. */
  image: string;
  /** All lines that server and worker have written, over all starts. */
  lines: string[];
  /** The current server process. */
  server: ChildProcess;
  url: string;
  db: Connection;
  /** The first admin, authenticated by an API key. */
  admin: ReturnType<typeof client>;
  /** Starts the server again on the same folder and the same port. */
  start(): Promise<void>;
  /** SIGKILL to the server only; its database and worker must notice by themselves. */
  kill(): Promise<void>;
  /** Sends Ctrl-C. @returns the exit code, and how long it took. */
  interrupt(): Promise<{ code: number | null; took_ms: number }>;
  /** Process id of the local worker. */
  workerPid(): Promise<number>;
  close(): Promise<void>;
};

/** Returns a text if containers cannot run here, with the reason. */
export async function openInstallation(
  env: Record<string, string> = {},
): Promise<Installation | string> {
  const tools = await ensureTestTools({ install: true, log: (line) => console.error(line) });
  if (!tools.ready) return `${tools.problem} Install by: ${tools.remedy}`;

  const folder = await mkdtemp(join(tmpdir(), 'cogworks-faults-'));
  const registry = await startRegistry({ folder: join(folder, 'registry') });
  const dir = join(folder, 'data');
  const installation = assemble(dir, registry, env);
  try {
    await copyNewDatabase(dir);
    await installation.start();
    const missing = await installation.withoutContainers();
    if (missing) {
      await installation.close();
      return missing;
    }
    await installation.setUp();
    return installation;
  } catch (error) {
    console.error(installation.lines.slice(-20).join('\n'));
    await installation.close();
    throw error;
  }
}

function assemble(dir: string, registry: Registry, env: Record<string, string>) {
  let port = '0';
  let installationId = '';
  const settings = { ...serverEnvironment(dir), ...env };

  const installation = {
    ...({} as Pick<Installation, 'server' | 'url' | 'db' | 'admin'>),
    dir,
    registry,
    image: `${registry.server}/tools/busybox:1`,
    lines: [] as string[],

    async start() {
      const began = installation.lines.length;
      installation.server = spawnServer({ ...settings, PORT: port }, installation.lines);
      const ready = await until('the server is ready', () => {
        if (installation.server.exitCode !== null) throw new Error('The server did not start.');
        return /ready at (\S+)/.exec(installation.lines.slice(began).join('\n'))?.[1];
      });
      installation.url = ready;
      port = new URL(ready).port;
      const at = await runningEmbedded(join(dir, 'postgres'));
      if (!at) throw new Error('There is no database.');
      installation.db = connect(at('cogworks'), { max: 3 });
    },

    /** The worker's reason why containers cannot run; empty if it takes work. */
    withoutContainers: () =>
      until('the worker takes work, or says why not', () => {
        const at = installation.lines.findIndex((line) => /Containers cannot run here/.test(line));
        if (at >= 0)
          return installation.lines
            .slice(at, at + 2)
            .map(messageOf)
            .join(' ');
        return installation.lines.some((line) => /takes work/.test(line)) ? '' : null;
      }),

    async setUp() {
      const [row] = await installation.db<{ installation_id: string }[]>`
        select installation_id from installation
      `;
      installationId = row?.installation_id ?? '';
      const target = { server: registry.server, repository: 'tools/busybox', tag: '1' };
      await pushImage(await busyboxImage(), target, registry.credentials);
      const { body } = await client(installation.url).post('/api-keys/token', {
        api_key: await newApiKey(settings),
      });
      installation.admin = client(installation.url, body.access_token);
      const stored = await installation.admin.post('/secrets', {
        name: 'REGISTRY',
        kind: 'registry',
        value: { server: registry.server, ...registry.credentials },
      });
      if (stored.status !== 201) throw new Error(`not stored: ${JSON.stringify(stored.body)}`);
    },

    async kill() {
      await installation.db.close();
      await ended(installation.server, 'SIGKILL');
    },

    async interrupt() {
      await installation.db.close();
      const began = performance.now();
      const code = await ended(installation.server, 'SIGINT');
      return { code, took_ms: performance.now() - began };
    },

    workerPid: () =>
      until('there is a worker', async () => {
        const found = await processesOf(dir);
        return found.find(({ command }) => command.includes('worker/src/main.ts'))?.pid;
      }),

    async close() {
      await installation.db?.close();
      await ended(installation.server, 'SIGKILL');
      await killAll(dir);
      await removeEngine({
        state_dir: join(dir, 'worker/containers'),
        installation: installationId,
      });
      await registry.stop();
      await rm(join(dir, '..'), { recursive: true, force: true });
    },
  };
  return installation;
}

/**
 * Independent of the settings of the user who runs the tests; rate limits would slow the tests
 * down.
 */
export function serverEnvironment(dir: string): Record<string, string> {
  return {
    ...programEnvironment(),
    DATA_DIR: dir,
    ...storageSettings(dir),
    ADMIN_EMAIL: 'admin@localhost',
    RATE_LIMIT_DEFAULT: '0',
    RATE_LIMIT_UPLOAD: '0',
    LOG_LEVEL: 'debug',
  };
}

/** What each program needs of this machine, with the code that Node has compiled already. */
export function programEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'XDG_RUNTIME_DIR', 'TMPDIR', 'NODE_COMPILE_CACHE'];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}

/** Starts a server; its and its worker's output is appended to `lines`. */
export function spawnServer(env: Record<string, string>, lines: string[]): ChildProcess {
  const server = spawn(process.execPath, ['server/src/main.ts', 'serve'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [server.stdout, server.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  }
  return server;
}

/** Sends a signal, unless the server has ended. @returns the exit code once it has. */
export async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (server.exitCode !== null || server.signalCode !== null) return server.exitCode;
  const exit = once(server, 'exit');
  server.kill(signal);
  const [code] = await exit;
  return code;
}

const messageOf = (line: string): string => (line.startsWith('{') ? JSON.parse(line).msg : line);

/** As an operator does, beside the running server. */
export async function newApiKey(env: Record<string, string>): Promise<string> {
  const command = ['create-api-key', '--email', 'admin@localhost', '--description', 'faults'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['server/src/admin.ts', ...command],
    { cwd: root, env },
  );
  return stdout.trim();
}

/** The ended run. @throws Error with its current state if it does not end. */
export async function endOf(
  { admin }: Pick<Installation, 'admin'>,
  runId: number,
  timeout_ms = patience_ms,
): Promise<Answer['body']> {
  let last: Answer['body'];
  const look = async () => {
    last = (await admin.get(`/workflows/workflow-runs/${runId}`)).body;
    return isTerminal(last.status) ? last : null;
  };
  return until(`run ${runId} has ended`, look, timeout_ms).catch((error: Error) => {
    const nodes = last?.node_runs?.map(
      (row: Answer['body']) =>
        `${row.node_key} ${row.status} ${row.queue_reason ?? ''} ${row.error_message ?? ''}`,
    );
    throw new Error(`${error.message} It is ${last?.status}: ${nodes?.join('; ')}`);
  });
}
