/**
 * Turns: limits concurrent requests, and shares them fairly. A request waits here before it takes a
 * connection, so a hundred requests of one tenant leave room for the first of the next. Knows
 * nothing of HTTP or of the work itself.
 */
import { DomainError } from './errors.ts';

export type TurnLimits = Readonly<{
  /** Concurrent turns: in this process, per tenant, and per user. */
  slots: number;
  per_tenant: number;
  per_user: number;
  /** How many requests of one user may wait, and how long each. */
  waiting_per_user: number;
  wait_ms: number;
}>;

export type Who = Readonly<{ tenant_id: number; user_id: number }>;

/**
 * Who is next: the tenant with the fewest turns, its user with the fewest, then the first to
 * arrive. Pure.
 *
 * @param waiting in order of arrival.
 * @returns the index in `waiting`, or undefined if nobody may begin.
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
    // There are a dozen turns at most: counting each time is faster than maintaining counts.
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
   * @param signal aborts the wait when the client has gone.
   * @returns a function that ends the turn, to be called once.
   * @throws DomainError `too_many_requests` if too many of the user wait, or the wait was too long.
   */
  async take({ tenant_id, user_id }: Who, signal: AbortSignal): Promise<() => void> {
    const who = { tenant_id, user_id };
    await this.#wait(who, signal);
    return () => this.#end(who);
  }

  /**
   * A turn without waiting, the usual case. @returns a function that ends it; undefined if none is
   * free.
   */
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
    // The client left while its body was read: no abort event will come.
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
