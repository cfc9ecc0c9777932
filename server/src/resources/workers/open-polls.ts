/** Limits the open polls of each worker: one is expected, others may belong to lost connections. */
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../../errors.ts';

const mostOpen = 4;
/** Refusals are delayed by one to four times this, so that hundreds do not return together. */
const lateness_ms = 1000;

/** How many refusals of this process are delayed at a time; others are sent at once. */
const mostLate = 1000;

export class OpenPolls {
  #late = 0;
  readonly #open = new Map<number, number>();

  /** @throws DomainError `too_many_requests`, after a delay, if the worker has four open. */
  async during<Result>(
    workerId: number,
    gone: AbortSignal,
    poll: () => Promise<Result>,
  ): Promise<Result> {
    const open = this.#open.get(workerId) ?? 0;
    if (open >= mostOpen) {
      await this.#beLate(gone);
      throw tooManyOpen();
    }
    this.#open.set(workerId, open + 1);
    try {
      return await poll();
    } finally {
      const left = (this.#open.get(workerId) ?? 1) - 1;
      if (left > 0) this.#open.set(workerId, left);
      else this.#open.delete(workerId);
    }
  }

  async #beLate(gone: AbortSignal): Promise<void> {
    if (this.#late >= mostLate) return;
    this.#late += 1;
    const late_ms = lateness_ms * (1 + 3 * Math.random());
    await delay(late_ms, undefined, { signal: gone }).catch(() => {});
    this.#late -= 1;
  }
}

const tooManyOpen = () =>
  new DomainError(
    'too_many_requests',
    `This worker asks for work ${mostOpen} times at once already. Wait for an answer.`,
    { code: 'too_many_at_once', retry_after_seconds: 5 },
  );
