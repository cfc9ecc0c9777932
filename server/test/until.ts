import { setTimeout as delay } from 'node:timers/promises';

/**
 * How long tests wait for what should come: far more than anything takes, because a busy machine must
 * not fail a test, and only a test that fails waits so long.
 */
export const patience_ms = 300_000;

/** Polls until the result is neither null, undefined nor false. Bounded. */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  timeout_ms = patience_ms,
): Promise<Exclude<T, null | undefined | false>> {
  const deadline = Date.now() + timeout_ms;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false)
      return answer as Exclude<T, null | undefined | false>;
    if (Date.now() > deadline) throw new Error(`Waited ${timeout_ms} ms in vain until ${what}.`);
    await delay(25);
  }
}
