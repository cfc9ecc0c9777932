/** Notices between processes that there may be work for waiting workers. */
import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import type { Notices } from '../../db/notices.ts';
import { tellOthersOfWork, workChannel } from '../tables/queue.ts';

/** Notices are merged for this long, because each costs a transaction. */
const gather_ms = 20;

export class WorkNotices {
  /** The name of this process, so that it can ignore its own notices. */
  readonly #name = randomUUID();
  readonly #db: Db;
  #isGathering = false;

  constructor(db: Db, notices: Notices, onWork: () => void) {
    this.#db = db;
    notices.on(workChannel, (from) => {
      if (from !== this.#name) onWork();
    });
  }

  /** Tells the other processes. If a notice is lost, they poll after a while. */
  tell(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      tellOthersOfWork(this.#db, this.#name).catch(() => {});
    }, gather_ms).unref();
  }
}
