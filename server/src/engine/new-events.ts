/**
 * The word that there are new events of runs: heard at once in this process, and by the others within a
 * tenth of a second. It brings no event, so one that is lost delays and loses nothing.
 */
import { randomUUID } from 'node:crypto';
import type { Pools } from '../db/pools.ts';
import { eventsChannel, tellOthersOfEvents } from './tables/run-events.ts';

/** Notices to other processes are at least so far apart: commits with a notice follow one another. */
const pause_ms = 100;

export class NewEvents {
  /** Of this process, whose own notices come back to it. */
  readonly #name = randomUUID();
  readonly #quickDb: Pools['quickDb'];
  readonly #handlers = new Set<() => void>();
  #isPausing = false;
  #isDue = false;

  constructor({ quickDb, notices }: Pick<Pools, 'quickDb' | 'notices'>) {
    this.#quickDb = quickDb;
    notices.on(eventsChannel, (from) => {
      if (from !== this.#name) this.#hear();
    });
  }

  /** Calls `handler` whenever there may be new events. */
  on(handler: () => void): void {
    this.#handlers.add(handler);
  }

  /** Says that events were committed. */
  tell(): void {
    this.#hear();
    this.#isDue = true;
    if (!this.#isPausing) this.#tellOthers();
  }

  #hear() {
    for (const handler of this.#handlers) handler();
  }

  #tellOthers() {
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#isPausing = true;
    // Who does not hear of it looks by itself when the line is known to be lost.
    tellOthersOfEvents(this.#quickDb, this.#name).catch(() => {});
    setTimeout(() => {
      this.#isPausing = false;
      this.#tellOthers();
    }, pause_ms).unref();
  }
}
