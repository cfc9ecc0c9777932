/** That there is work for whoever waits, told from process to process. */
import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import type { Notices } from '../../db/notices.ts';
import { tellOthersOfWork, workChannel } from '../tables/queue.ts';

/** What is to be told is gathered for so long: each notice costs a transaction. */
const gather_ms = 20;

export class WorkNotices {
  /** Of this process, which need not hear itself. */
  readonly #name = randomUUID();
  readonly #db: Db;
  #isGathering = false;

  constructor(db: Db, notices: Notices, onWork: () => void) {
    this.#db = db;
    notices.on(workChannel, (from) => {
      if (from !== this.#name) onWork();
    });
  }

  /** Tells the others. Who does not hear of it looks by itself after a while. */
  tell(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      tellOthersOfWork(this.#db, this.#name).catch(() => {});
    }, gather_ms).unref();
  }
}
