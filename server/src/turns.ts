/**
 * Turns: how many requests may be worked on at once, shared fairly. Whoever has to wait waits
 * here, before it holds a connection, so one tenant's hundred requests leave room for the next
 * one's first. Knows nothing of HTTP or of what is done in a turn.
 */
import { DomainError } from './errors.ts';

export type TurnLimits = Readonly<{
  /** At once in this process, of one tenant, and of one user. */
  slots: number;
  per_tenant: number;
  per_user: number;
  /** How many of one user may wait, and for how long each. */
  waiting_per_user: number;
  wait_ms: number;
}>;

export type Who = Readonly<{ tenant_id: number; user_id: number }>;

/**
 * Whose turn it is: of the tenants with the fewest turns, of its users with the fewest, who came
 * first. Pure.
 *
 * @param waiting in the order they came.
 * @returns the place in `waiting`, or undefined when nobody may begin.
 */
export function nextTurn(
  waiting: readonly Who[],
  underWay: readonly Who[],
  limits: Pick<TurnLimits, 'slots' | 'per_tenant' | 'per_user'>,
): number | undefined {
  if (underWay.length >= limits.slots) return undefined;
  let best: number | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  waiting.forEach(({ tenant_id, user_id }, index) => {
    let tenant = 0;
    let user = 0;
    // There are a dozen turns at most: counting is faster than keeping counts.
    for (const one of underWay) {
      if (one.tenant_id === tenant_id) tenant += 1;
      if (one.user_id === user_id) user += 1;
    }
    if (tenant >= limits.per_tenant || user >= limits.per_user) return;
    const rank = tenant * (limits.per_user + 1) + user;
    if (rank >= lowest) return;
    lowest = rank;
    best = index;
  });
  return best;
}

type Waiting = Who & { begin(): void };

/** The turns of one process. */
export class Turns {
  readonly #limits: TurnLimits;
  #waiting: Waiting[] = [];
  #underWay: Who[] = [];

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /**
   * Waits for a turn.
   *
   * @param signal aborts the wait: whoever has gone needs no turn.
   * @returns ends the turn; call it once.
   * @throws DomainError `too_many_requests` when too many of the user wait, or the wait was too long.
   */
  async take({ tenant_id, user_id }: Who, signal: AbortSignal): Promise<() => void> {
    const who = { tenant_id, user_id };
    await this.#wait(who, signal);
    return () => this.#end(who);
  }

  /** A turn that needs no waiting, as most do. @returns ends it; undefined when there is none. */
  takeAtOnce({ tenant_id, user_id }: Who): (() => void) | undefined {
    const who = { tenant_id, user_id };
    if (this.#waiting.length > 0) return undefined;
    if (nextTurn([who], this.#underWay, this.#limits) === undefined) return undefined;
    this.#underWay.push(who);
    return () => this.#end(who);
  }

  #end(who: Who): void {
    this.#underWay.splice(this.#underWay.indexOf(who), 1);
    this.#serve();
  }

  #wait(who: Who, signal: AbortSignal): Promise<void> {
    // Gone before it asked, while its body was read: no event tells of it any more.
    if (signal.aborted) return Promise.reject(tooMany());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      reject(tooMany());
    };
    const timer = setTimeout(giveUp, this.#limits.wait_ms);
    const waiting: Waiting = {
      ...who,
      begin: () => {
        this.#underWay.push(who);
        resolve();
      },
    };
    signal.addEventListener('abort', giveUp);
    this.#waiting.push(waiting);
    this.#serve();
    const inLine = this.#waiting.filter((other) => other.user_id === who.user_id);
    if (inLine.length > this.#limits.waiting_per_user && inLine.includes(waiting)) giveUp();
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    });
  }

  #serve(): void {
    for (;;) {
      const next = nextTurn(this.#waiting, this.#underWay, this.#limits);
      if (next === undefined) return;
      for (const waiting of this.#waiting.splice(next, 1)) waiting.begin();
    }
  }
}

const tooMany = () =>
  new DomainError(
    'too_many_requests',
    'Too many of your requests are under way at once. Wait until some are answered.',
    { code: 'too_many_at_once', retry_after_seconds: 5 },
  );
