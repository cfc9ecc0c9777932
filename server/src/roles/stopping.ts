/** The end of a role: its parts are stopped in the opposite order of their start, whatever ends it. */

/** Each part adds how it is stopped as soon as it runs. */
export type Stops = (() => Promise<unknown>)[];

/** What a start or a stop may take, containers' grace included, before it is cut short. */
const longestEnd_ms = 60_000;

/**
 * Starts a role and stops it at the first signal, when whoever started it is gone, or when an error
 * escaped everything. A start that fails takes down what it has started: the database runs in a
 * process group of its own, and would be left behind. Further signals change nothing: Ctrl-C comes
 * from the terminal and through npm as well.
 *
 * @throws what `start` throws, when everything has stopped.
 */
export async function untilStopped(start: (stops: Stops) => Promise<void>): Promise<void> {
  const stops: Stops = [];
  const stopAll = async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) {
      // One part that does not stop in order must not leave all others behind.
      await stop().catch((error: unknown) => console.error(error));
    }
  };
  let isStopping = false;
  const end = async (code: number) => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), longestEnd_ms).unref();
    // What is half started cannot be stopped; all of it takes a few seconds.
    await starting.catch(() => {});
    await stopAll();
    process.exit(code);
  };
  const starting = start(stops);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => void end(0));
  }
  whenLeftAlone(() => void end(0));
  process.on('uncaughtException', (error) => {
    console.error(error);
    void end(1);
  });
  try {
    await starting;
  } catch (error) {
    if (isStopping) return new Promise(() => {});
    await stopAll();
    throw error;
  }
}

/** tools/run.mjs holds a channel to us; its end is the only word of one that was killed. */
function whenLeftAlone(work: () => void) {
  if (process.connected === undefined) return;
  if (!process.connected) return work();
  process.once('disconnect', work);
  // The channel alone is no reason to stay.
  process.channel?.unref();
}
