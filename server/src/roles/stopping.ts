/** The end of a role: its parts are stopped in the opposite order of their start, whatever ends it. */

/** Each part adds how it is stopped as soon as it runs. */
export type Stops = (() => Promise<unknown>)[];

/**
 * Starts a role and stops it at the first signal. A start that fails takes down what it has
 * started: the database runs in a process group of its own, and would be left behind.
 *
 * @throws what `start` throws, when everything has stopped.
 */
export async function untilStopped(start: (stops: Stops) => Promise<void>): Promise<void> {
  const stops: Stops = [];
  const stopAll = async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  };
  let isStopping = false;
  const onSignal = async () => {
    if (isStopping) return;
    isStopping = true;
    // What is half started cannot be stopped; all of it takes a few seconds.
    await starting.catch(() => {});
    await stopAll();
    process.exit(0);
  };
  const starting = start(stops);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  try {
    await starting;
  } catch (error) {
    await stopAll();
    throw error;
  }
}
