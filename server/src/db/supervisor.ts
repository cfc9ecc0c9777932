/**
 * Keeps a child process running. After an exit it is restarted at once; repeated exits double the
 * pause, because a process that fails at every start, as a database on a full disk does, must not
 * keep the machine busy.
 */
import type { ChildProcess } from 'node:child_process';

const shortestPause_ms = 250;
const longestPause_ms = 30_000;
/** A process that ran this long is considered healthy: its exit starts a new series. */
const healthy_ms = 60_000;

/** The pause before the next start; `ends` is the number of exits in a row. */
export const restartPause = (ends: number): number =>
  Math.min(longestPause_ms, shortestPause_ms * 2 ** (Math.min(ends, 20) - 1));

export type Supervised = {
  /** Stops restarting it, sends the signal, and resolves once it has exited. */
  stop(signal: NodeJS.Signals): Promise<void>;
};

/**
 * @param first a running process.
 * @param start starts it again; if it throws, that counts as an exit.
 * @param onEnd receives the reason of an exit, and the pause before the next start.
 * @param now milliseconds of a monotonic clock.
 */
export function supervise(
  first: ChildProcess,
  start: () => ChildProcess,
  onEnd: (reason: string, pause_ms: number) => void,
  now: () => number = () => performance.now(),
): Supervised {
  let current: ChildProcess | undefined;
  let isStopping = false;
  let ends = 0;
  let began = now();
  let restart: NodeJS.Timeout | undefined;

  const watch = (child: ChildProcess) => {
    current = child;
    // A failed start may or may not emit `exit`.
    const ended = (reason: string) => {
      if (current !== child) return;
      current = undefined;
      again(reason);
    };
    child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`));
    child.once('error', (error) => ended(error.message));
  };
  const again = (reason: string) => {
    if (isStopping) return;
    ends = now() - began > healthy_ms ? 1 : ends + 1;
    const pause_ms = restartPause(ends);
    onEnd(reason, pause_ms);
    restart = setTimeout(() => {
      // Set before a start that may throw; otherwise its failure would look like the end of a long
      // run.
      began = now();
      try {
        watch(start());
      } catch (error) {
        again(error instanceof Error ? error.message : String(error));
      }
    }, pause_ms);
  };
  watch(first);

  return {
    stop: async (signal) => {
      isStopping = true;
      clearTimeout(restart);
      const running = current;
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const ended = new Promise((done) => running.once('exit', done));
      running.kill(signal);
      await ended;
    },
  };
}
