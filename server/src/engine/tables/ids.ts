/**
 * Ids of node runs and attempts: a process takes blocks of them from the database and assigns them
 * in memory, so that a row's id is known before the row is written.
 */
import type { Db } from '../../db/connection.ts';

/** As in the migration that created the sequences. */
const sizes = { node_run_id_blocks: 262_144, attempt_id_blocks: 65_536 } as const;

type Sequence = keyof typeof sizes;

class Block {
  #next = 0;
  #end = 0;
  readonly #db: Db;
  readonly #sequence: Sequence;

  constructor(db: Db, sequence: Sequence) {
    this.#db = db;
    this.#sequence = sequence;
  }

  /** Reserves consecutive ids. @returns the first. */
  async take(count: number): Promise<number> {
    const size = sizes[this.#sequence];
    if (count > size) throw new RangeError(`${count} ids are more than a block of ${size} holds.`);
    if (this.#next + count > this.#end) {
      const [row] = await this.#db<{ block: number }[]>`
        select nextval(${this.#sequence}::text::regclass) as block
      `;
      if (!row) throw new Error(`${this.#sequence} gave no block.`);
      this.#next = row.block * size;
      this.#end = this.#next + size;
    }
    const first = this.#next;
    this.#next += count;
    return first;
  }
}

/** The ids of one process. */
export class Ids {
  readonly #nodeRuns: Block;
  readonly #attempts: Block;

  /**
   * `db` is independent of the caller's transaction: a block stays assigned even after a rollback.
   */
  constructor(db: Db) {
    this.#nodeRuns = new Block(db, 'node_run_id_blocks');
    this.#attempts = new Block(db, 'attempt_id_blocks');
  }

  nodeRuns = (count: number): Promise<number> => this.#nodeRuns.take(count);
  attempts = (count: number): Promise<number> => this.#attempts.take(count);
}
