/**
 * Batches concurrent requests: those that arrive while a batch is under way form the next one. A
 * single request does not wait; under load the batches grow.
 */

/** The result of one item, possibly still pending after the batch. */
export type Outcome<Result> = { result: Result | Promise<Result> } | { error: unknown };

type Asked<Item, Result> = {
  item: Item;
  resolve: (result: Result | Promise<Result>) => void;
  reject: (error: unknown) => void;
};

/**
 * When the first batch begins: `at once`, or `after this moment`, with the items that the same turn
 * of the event loop brings.
 */
export type Begins = 'at once' | 'after this moment';

/** Batches of one kind of work. Different keys are independent and run side by side. */
export class Batches<Key, Item, Result> {
  readonly #work: (key: Key, items: readonly Item[]) => Promise<readonly Outcome<Result>[]>;
  readonly #most: number;
  readonly #begins: Begins;
  /** Items that wait for the next batch, for each key with one under way. */
  readonly #waiting = new Map<Key, Asked<Item, Result>[]>();

  /**
   * @param work returns an outcome for each item, in order. If it throws, all items fail with that
   *   error.
   * @param most items in one batch.
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

  /** Resolves when the item's batch, begun after this call, is done. @throws the error of the item. */
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
