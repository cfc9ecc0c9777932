/**
 * The signal that there are new run events: at once in this process, within a tenth of a second in
 * others. It carries no event, so a lost signal causes delay but no loss.
 */
import { randomUUID } from 'node:crypto';
import type { Pools } from '../db/pools.ts';
import { eventsChannel, tellOthersOfEvents } from './tables/run-events.ts';

/** Minimum interval of notices to other processes: commits with a notice are serialized. */
const pause_ms = 100;

export class NewEvents {
  /** The name of this process, so that it can ignore its own notices. */
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

  /** Announces that events were committed. */
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
    // A process that misses it reads by itself once it knows that its connection was lost.
    tellOthersOfEvents(this.#quickDb, this.#name).catch(() => {});
    setTimeout(() => {
      this.#isPausing = false;
      this.#tellOthers();
    }, pause_ms).unref();
  }
}
