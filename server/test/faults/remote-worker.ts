/** A worker as on a customer's machine: its own process, folder and engine; it knows only a URL. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { removeEngine } from '../../../worker/src/containers/engine.ts';
import { ended, type Installation, until } from '../installation.ts';
import { type Process, processesOf } from './processes.ts';

const root = join(import.meta.dirname, '../../..');

export type RemoteWorker = {
  /** Its folder, below that of the installation. */
  folder: string;
  /** All that runs of it. */
  processes(): Promise<Process[]>;
  /** What runs of its containers. */
  containers(): Promise<Process[]>;
  /** SIGTERM. @returns the exit code. */
  stop(): Promise<number | null>;
  close(): Promise<void>;
};

export async function startRemoteWorker(installation: Installation): Promise<RemoteWorker> {
  const { admin, dir, lines, url } = installation;
  const { body } = await admin.post('/workers/enrollment-tokens', {});
  const { PATH = '', HOME = '' } = process.env;
  const folder = 'remote';
  const home = join(dir, folder);
  const worker = spawn(process.execPath, ['worker/src/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH,
      HOME,
      COGWORKS_URL: url,
      COGWORKS_ENROLLMENT_TOKEN: body.enrollment_token,
      COGWORKS_WORKER_DIR: home,
      COGWORKS_WORKER_NAME: 'remote',
      COGWORKS_INSTALLATION: 'remote',
    },
  });
  const said: string[] = [];
  createInterface({ input: worker.stderr }).on('line', (line) => {
    said.push(line);
    lines.push(line);
  });
  await until('the remote worker takes work', () => said.some((line) => /takes work/.test(line)));

  const processes = async () => (await processesOf(dir)).filter(({ text }) => text.includes(home));
  return {
    folder,
    processes,
    containers: async () => (await processes()).filter(({ kind }) => kind === 'container'),
    stop: () => ended(worker, 'SIGTERM'),
    async close() {
      await ended(worker, 'SIGKILL');
      await removeEngine({ state_dir: join(home, 'containers'), installation: 'remote' });
    },
  };
}
