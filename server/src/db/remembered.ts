/**
 * What was read from the database and may be used again until somebody says by NOTIFY that it
 * changed. Only while such notices are heard: otherwise everything is read each time.
 */
import type { Notices } from './notices.ts';

/** What was read. */
export type Reading<Value> = {
  value: Value;
  /** What it depends on, in the words of the notices that end it. */
  grounds: readonly string[];
  /** How long it is right without any notice, from the moment it was asked for. */
  good_for_ms: number;
};

type Entry<Value> = { value: Value; grounds: readonly string[]; until: number };

export class Remembered<Value> {
  readonly #notices: Notices;
  readonly #most: number;
  readonly #longest_ms: number;
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #keysOf = new Map<string, Set<string>>();
  /** How often something was forgotten: what is being read meanwhile may be older than that. */
  #changes = 0;

  /**
   * @param channel whose notices are grounds.
   * @param most entries; the oldest are dropped for new ones.
   * @param longest_ms no entry is used for longer, so what we did not think of ends as well.
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
    // Notices may have been missed before a gain, and are missed after a loss.
    notices.onChange(() => this.#forgetAll());
  }

  /**
   * The value of `key`: the one remembered, or what `read` finds, which is remembered unless it
   * finds nothing.
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
    // The read may have seen what was there before a change of which we have heard by now.
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
