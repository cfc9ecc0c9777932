/** Runs that are in the way of a round: it can do nothing for them now. */
import { DomainError } from '../../errors.ts';
import type { Ask, RoundResult } from './tasks.ts';

type Blocked = Pick<RoundResult<Ask>, 'locked_runs' | 'unpaid_runs'>;

/** Runs whose queued work may hide that of others, and is left out at the next look. */
export const inTheWay = ({ locked_runs, unpaid_runs }: Blocked): number[] => [
  ...locked_runs,
  ...unpaid_runs,
];

/** How often the queue is read again without the locked runs. */
const mostLooksBehind = 4;

/** What looks behind runs in the way leave out, and when the last one was made. */
export class Passed {
  readonly #locked: Set<number>;
  readonly #unpaid: Set<number>;
  /** Looks that found no more runs that cannot pay. */
  #looks = 0;

  constructor({ locked_runs, unpaid_runs }: Blocked) {
    this.#locked = new Set(locked_runs);
    this.#unpaid = new Set(unpaid_runs);
  }

  get hasLocked(): boolean {
    return this.#locked.size > 0;
  }

  /** The last look is for locked runs that are free again by then. */
  without(): number[] {
    return [...this.#unpaid, ...(this.#isLast() ? [] : this.#locked)];
  }

  /**
   * Notes what a look found. Those that cannot pay for more have something running, so there are no more of
   * them than attempts, and looks end.
   *
   * @returns whether another look may find work behind it.
   */
  add({ locked_runs, unpaid_runs }: Blocked): boolean {
    const wasLast = this.#isLast();
    const before = this.#unpaid.size;
    for (const id of unpaid_runs) this.#unpaid.add(id);
    for (const id of locked_runs) this.#locked.add(id);
    if (this.#unpaid.size > before) return true;
    this.#looks += 1;
    return locked_runs.length > 0 && !wasLast;
  }

  #isLast = () => this.#looks === mostLooksBehind;
}

export const runIsLocked = () =>
  new DomainError('unavailable', 'This run is being changed for long. Try again.', {
    code: 'run_locked',
    retry_after_seconds: 2,
  });
