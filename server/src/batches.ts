/**
 * Work that those share who ask for it at the same time: what comes while some is under way is
 * done together by the next. Alone nobody waits; under load the batches grow by themselves.
 */

/** What became of one item, or goes on after the batch. */
export type Outcome<Result> = { result: Result | Promise<Result> } | { error: unknown };

type Asked<Item, Result> = {
  item: Item;
  resolve: (result: Result | Promise<Result>) => void;
  reject: (error: unknown) => void;
};

/**
 * `after this moment`: with all who ask before the event loop goes on. Those who were answered by one
 * batch ask for the next step in one moment; begun at once, every other batch was of one item.
 */
export type Begins = 'at once' | 'after this moment';

/** Batches of one kind of work. Those of different keys go on side by side, unknown to each other. */
export class Batches<Key, Item, Result> {
  readonly #work: (key: Key, items: readonly Item[]) => Promise<readonly Outcome<Result>[]>;
  readonly #most: number;
  readonly #begins: Begins;
  /** Who waits for the next batch, of every key with one under way. */
  readonly #waiting = new Map<Key, Asked<Item, Result>[]>();

  /**
   * @param work answers with an outcome for each item, in their order. What it throws becomes of
   *   all of them.
   * @param most items in one batch.
   * @param begins when nothing is under way.
   */
  constructor(
    work: (key: Key, items: readonly Item[]) => Promise<readonly Outcome<Result>[]>,
    most = Number.POSITIVE_INFINITY,
    begins: Begins = 'at once',
  ) {
    this.#work = work;
    this.#most = most;
    this.#begins = begins;
  }

  /** Resolves when a batch that began after this call is done. @throws what became of the item. */
  add(key: Key, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const asked = { item, resolve, reject };
      const waiting = this.#waiting.get(key);
      if (waiting) waiting.push(asked);
      else void this.#run(key, asked);
    });
  }

  async #run(key: Key, first: Asked<Item, Result>) {
    const waiting = [first];
    this.#waiting.set(key, waiting);
    if (this.#begins === 'after this moment') await new Promise((go) => setImmediate(go));
    while (waiting.length > 0) await this.#do(key, waiting.splice(0, this.#most));
    this.#waiting.delete(key);
  }

  async #do(key: Key, asked: readonly Asked<Item, Result>[]) {
    try {
      const items = asked.map(({ item }) => item);
      const outcomes = await this.#work(key, items);
      for (const [at, { resolve, reject }] of asked.entries()) {
        const outcome = outcomes[at];
        if (outcome && 'result' in outcome) resolve(outcome.result);
        else reject(outcome?.error ?? new Error('Nothing became of this item.'));
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
