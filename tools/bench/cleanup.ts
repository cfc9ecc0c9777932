/** What has to be stopped and removed whatever ends a measurement: its end, a failure or a signal. */

const pending: (() => Promise<unknown>)[] = [];

/** @returns `stop` itself, to be called in the usual way; it runs once. */
export function stopInAnyCase(stop: () => Promise<unknown>): () => Promise<void> {
  let stopping: Promise<unknown> | undefined;
  const once = async () => {
    stopping ??= stop();
    await stopping;
    pending.splice(pending.indexOf(once), 1);
  };
  pending.push(once);
  return once;
}

/** Ends the process by a signal only when everything has stopped, the newest first. */
export function stopOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      for (const stop of pending.toReversed()) await stop().catch(() => undefined);
      process.exit(130);
    });
  }
}
