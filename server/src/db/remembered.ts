/**
 * A cache of values read from the database, invalidated by NOTIFY. Used only while notices are
 * being received; otherwise every value is read each time.
 */
import type { Notices } from './notices.ts';

/** The result of a read. */
export type Reading<Value> = {
  value: Value;
  /** What it depends on: payloads of the notices that invalidate it. */
  grounds: readonly string[];
  /** How long it is valid without a notice, from the time of the request. */
  good_for_ms: number;
};

type Entry<Value> = { value: Value; grounds: readonly string[]; until: number };

export class Remembered<Value> {
  readonly #notices: Notices;
  readonly #most: number;
  readonly #longest_ms: number;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #keysOf = new Map<string, Set<string>>();
  /** Counts invalidations: a read that was under way during one may be stale. */
  #changes = 0;

  /**
   * @param channel whose notices are grounds.
   * @param most entries; the oldest are evicted.
   * @param longest_ms the maximum age of an entry, in case a dependency was overlooked.
   */
  constructor(
    notices: Notices,
    channel: string,
    { most, longest_ms }: { most: number; longest_ms: number },
  ) {
    this.#notices = notices;
    this.#most = most;
    this.#longest_ms = longest_ms;
    notices.on(channel, (ground) => this.#forget(ground));
    // Notices may have been missed before a connection is gained, and are missed after it is lost.
    notices.onChange(() => this.#forgetAll());
  }

  /**
   * The value of `key`: the cached one, or the result of `read`, which is cached unless it is
   * undefined.
   */
  async get(
    key: string,
    read: () => Promise<Reading<Value> | undefined>,
  ): Promise<Value | undefined> {
    const mayRemember = this.#notices.isListening();
    const askedAt = performance.now();
    const known = mayRemember ? this.#entries.get(key) : undefined;
    if (known && askedAt < known.until) return known.value;

    const changes = this.#changes;
    const found = await read();
    // If an invalidation arrived during the read, the value may be stale.
    if (found && mayRemember && changes === this.#changes && this.#notices.isListening()) {
      this.#add(key, found, askedAt);
    }
    return found?.value;
  }

  #add(key: string, { value, grounds, good_for_ms }: Reading<Value>, askedAt: number) {
    this.#remove(key);
    if (this.#entries.size >= this.#most) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#remove(oldest);
    }
    if (good_for_ms <= 0) return;
    const until = askedAt + Math.min(good_for_ms, this.#longest_ms);
    this.#entries.set(key, { value, grounds, until });
    for (const ground of grounds) {
      const keys = this.#keysOf.get(ground);
      if (keys) keys.add(key);
      else this.#keysOf.set(ground, new Set([key]));
    }
  }

  #remove(key: string) {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    for (const ground of entry.grounds) {
      const keys = this.#keysOf.get(ground);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysOf.delete(ground);
    }
  }

  #forget(ground: string) {
    this.#changes += 1;
    for (const key of this.#keysOf.get(ground) ?? []) this.#remove(key);
  }

  #forgetAll() {
    this.#changes += 1;
    this.#entries.clear();
    this.#keysOf.clear();
  }
}
