/** The engine's timers: duties that no request triggers. */
import { openGraphThreads } from '../resources/workflows/graph-bodies.ts';
import type { Services } from '../services.ts';
import { allDuties, type Duty } from './duties/all.ts';

export type EngineLoop = { stop(): Promise<void> };

/** Starts every duty at its interval, and once now. */
export function startEngine(services: Services): EngineLoop {
  const stopping = new AbortController();
  const threads = openGraphThreads();
  const timers = allDuties(services, threads, stopping.signal).map((duty) =>
    startTimer(services, duty),
  );
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(timers.map((timer) => timer.stop()));
      await threads.close();
    },
  };
}

/** A duty that takes longer than its interval is not begun again meanwhile. */
function startTimer({ log }: Services, { every_s, name, runOnce }: Duty) {
  let round: Promise<unknown> = Promise.resolve();
  let isBusy = false;
  const tick = () => {
    if (isBusy) return;
    isBusy = true;
    round = runOnce()
      .catch((error: unknown) => log.error({ err: error }, `could not ${name}`))
      .finally(() => {
        isBusy = false;
      });
  };
  tick();
  const timer = setInterval(tick, every_s * 1000);
  return {
    stop: async () => {
      clearInterval(timer);
      await round;
    },
  };
}
