/**
 * A worker as on a customer's machine: a separate process, folder and engine that knows only a URL.
 */
import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { removeEngine } from '../../../worker/src/containers/engine.ts';
import { ended, type Installation, programEnvironment } from '../installation.ts';
import { until } from '../until.ts';
import { type Process, processesOf } from './processes.ts';

const root = join(import.meta.dirname, '../../..');

export type RemoteWorker = {
  /** Its folder, below that of the installation. */
  folder: string;
  /** All its processes. */
  processes(): Promise<Process[]>;
  /** The processes of its containers. */
  containers(): Promise<Process[]>;
  /** Its output so far. */
  said: string[];
  /** The exit code, if it ends by itself. */
  exit: Promise<number | null>;
  /** SIGTERM. @returns the exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
  close(): Promise<void>;
};

/** Uses a new enrolment token unless `env` has one. It accepts work when this resolves. */
export async function startRemoteWorker(
  installation: Installation,
  folder = 'remote',
  env: Record<string, string> = {},
): Promise<RemoteWorker> {
  const worker = await launchWorker(installation, folder, env);
  await until(`the worker in ${folder} takes work`, () =>
    worker.said.some((line) => /takes work/.test(line)),
  );
  return worker;
}

/** Starts a worker, which may refuse to run. */
export async function launchWorker(
  installation: Installation,
  folder: string,
  env: Record<string, string> = {},
): Promise<RemoteWorker> {
  const { admin, dir, lines, url } = installation;
  const { body } = await admin.post('/workers/enrollment-tokens', {});
  const home = join(dir, folder);
  const worker = spawn(process.execPath, ['worker/src/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...programEnvironment(),
      COGWORKS_URL: url,
      COGWORKS_ENROLLMENT_TOKEN: body.enrollment_token,
      COGWORKS_WORKER_DIR: home,
      COGWORKS_WORKER_NAME: folder,
      ...env,
    },
  });
  const said: string[] = [];
  createInterface({ input: worker.stderr }).on('line', (line) => {
    said.push(line);
    lines.push(line);
  });
  const exit = new Promise<number | null>((resolve) => worker.once('close', resolve));

  const processes = async () => (await processesOf(dir)).filter(({ text }) => text.includes(home));
  return {
    folder,
    said,
    exit,
    processes,
    containers: async () => (await processes()).filter(({ kind }) => kind === 'container'),
    stop: () => ended(worker, 'SIGTERM'),
    async kill() {
      await ended(worker, 'SIGKILL');
    },
    async close() {
      await ended(worker, 'SIGKILL');
      const installation = `worker-${hostname()}`;
      await removeEngine({ state_dir: join(home, 'containers'), installation });
    },
  };
}
