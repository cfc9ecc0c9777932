/** How many questions for work each worker has open: one waits, others may be of lost connections. */
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '../../errors.ts';

const mostOpen = 4;
/** A refusal is late by this and up to four times this, so hundreds do not come back together. */
const lateness_ms = 1000;

/** So many refusals of this process are late at a time; the others come at once. */
const mostLate = 1000;

export class OpenPolls {
  #late = 0;
  readonly #open = new Map<number, number>();

  /** @throws DomainError `too_many_requests`, after a while, when the worker has four open. */
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
