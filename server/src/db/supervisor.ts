/**
 * Keeps a child process running. One that ended is started again at once, and with pauses that
 * double when it goes on ending: what ends at every start, as a database on a full disk does, must
 * not keep the machine busy with starting it.
 */
import type { ChildProcess } from 'node:child_process';

const shortestPause_ms = 250;
const longestPause_ms = 30_000;
/** One that ran that long ended for another reason than the last one. */
const healthy_ms = 60_000;

/** The pause before the next start, `ends` being how often it has ended in a row. */
export const restartPause = (ends: number): number =>
  Math.min(longestPause_ms, shortestPause_ms * 2 ** (Math.min(ends, 20) - 1));

export type Supervised = {
  /** Starts it no more, sends the signal, and resolves once it has ended. */
  stop(signal: NodeJS.Signals): Promise<void>;
};

/**
 * @param first runs already.
 * @param start starts it again; may throw, which counts as an end.
 * @param onEnd told why it ended, and how long until it is started again.
 * @param now milliseconds of a clock that never goes back.
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
    // After a failure to start there may be an `exit`, or none.
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
      // Also of a start that throws: else it would count as the end of a long healthy run.
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
