/** Stops a role: its parts are stopped in reverse order, whatever the reason. */

/** Each part adds its stop function as soon as it runs. */
export type Stops = (() => Promise<unknown>)[];

/** Time limit of a start or stop, including the containers' grace. */
const longestEnd_ms = 60_000;

/**
 * Starts a role and stops it at the first signal, when the parent process is gone, or on an
 * uncaught error. If the start fails, the parts already started are stopped: the database has its
 * own process group and would be left behind. Further signals are ignored: Ctrl-C comes both from
 * the terminal and through npm.
 *
 * @throws the error of `start`, when everything has stopped.
 */
export async function untilStopped(start: (stops: Stops) => Promise<void>): Promise<void> {
  const stops: Stops = [];
  const stopAll = async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) {
      // A part that fails to stop must not leave the others running.
      await stop().catch((error: unknown) => console.error(error));
    }
  };
  let isStopping = false;
  const end = async (code: number) => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), longestEnd_ms).unref();
    // A part cannot be stopped while it starts; a complete start takes a few seconds.
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

/** tools/run.mjs holds a channel to us, which closes even if it is killed. */
function whenLeftAlone(work: () => void) {
  if (process.connected === undefined) return;
  if (!process.connected) return work();
  process.once('disconnect', work);
  // The channel alone must not keep the process alive.
  process.channel?.unref();
}
