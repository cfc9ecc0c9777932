/**
 * The worker on the server's own machine: a child process that uses the same HTTP API as a remote
 * one. It is restarted if it exits. If containers cannot run here, the server says what to install
 * and continues without it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newEnrollmentToken } from '../resources/workers/workers.ts';
import type { Services } from '../services.ts';
import { localUrl } from './address.ts';
import { workerEnvironment } from './worker-environment.ts';
import { workerLine } from './worker-lines.ts';

const program = join(import.meta.dirname, '../../../worker/src/main.ts');
/** The worker's exit code for "no container can run here"; a restart would not help. */
const noContainersHere = 3;
const longestPause_ms = 30_000;
/** A worker that ran this long is considered healthy: its exit starts a new series. */
const healthy_ms = 60_000;
/** Containers have ten seconds of grace; the rest is for removing and reporting them. */
const longestStop_ms = 20_000;

export type LocalWorker = { stop(): Promise<void> };

/** `port` is where this server listens. */
export async function startLocalWorker(
  { config, db, keys, log }: Services,
  port: number,
): Promise<LocalWorker> {
  // Connects directly, without the route of the public URL.
  const url = localUrl(config.host, port);
  let child: ChildProcess | undefined;
  let isStopping = false;
  let deaths = 0;
  let began = 0;
  let restart: NodeJS.Timeout | undefined;

  const start = async () => {
    const { enrollment_token } = await newEnrollmentToken(db, null, null, 600);
    if (isStopping) return;
    began = performance.now();
    child = spawn(process.execPath, [program], {
      // A process group of its own: Ctrl-C in the terminal reaches only us, and we stop in order.
      // If we are killed, the pipe closes: the worker ends, and its containers with it.
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
      env: workerEnvironment(
        process.env,
        {
          COGWORKS_URL: url,
          COGWORKS_ENROLLMENT_TOKEN: enrollment_token,
          COGWORKS_WORKER_DIR: join(config.data_dir, 'worker'),
          COGWORKS_WORKER_NAME: 'local',
          COGWORKS_INSTALLATION: keys.installation_id,
          COGWORKS_PARENT_PIPE: 'stdin',
        },
        config.base_url,
      ),
    });
    child.stdin?.on('error', () => {});
    if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => relay(line));
    child.once('exit', (code) => ended(code));
    // It could not be started, for lack of memory or processes: then there is no `exit`.
    child.once('error', (err) => {
      log.error({ err }, 'the local worker could not be started');
      if (child?.pid === undefined) ended(null);
    });
  };

  const relay = (line: string) => {
    const { level, msg, fields } = workerLine(line);
    log[level](fields, msg);
  };

  const ended = (code: number | null) => {
    child = undefined;
    if (isStopping) return;
    if (code === noContainersHere) {
      log.warn('This server runs without a local worker; runs wait until a worker enrols.');
      return;
    }
    deaths = performance.now() - began > healthy_ms ? 1 : deaths + 1;
    const pause_ms = Math.min(longestPause_ms, 250 * 2 ** deaths);
    log.warn({ code, pause_ms }, 'the local worker ended and is started again');
    restart = setTimeout(() => {
      // Set before a start that may throw; otherwise its failure would look like the end of a long
      // run.
      began = performance.now();
      start().catch((err) => {
        log.error({ err }, 'the local worker did not start');
        // The database may be temporarily unavailable: it is tried again.
        ended(null);
      });
    }, pause_ms);
  };

  await start();
  return {
    stop: async () => {
      isStopping = true;
      clearTimeout(restart);
      const running = child;
      if (!running || running.exitCode !== null) return;
      const exited = new Promise((done) => running.once('exit', done));
      running.kill('SIGTERM');
      const force = setTimeout(() => running.kill('SIGKILL'), longestStop_ms);
      await exited;
      clearTimeout(force);
    },
  };
}
