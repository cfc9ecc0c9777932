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
  const ofTenant = counts(underWay.map((who) => who.tenant_id));
  const ofUser = counts(underWay.map((who) => who.user_id));
  let best: { index: number; rank: number } | undefined;
  waiting.forEach(({ tenant_id, user_id }, index) => {
    const tenant = ofTenant.get(tenant_id) ?? 0;
    const user = ofUser.get(user_id) ?? 0;
    if (tenant >= limits.per_tenant || user >= limits.per_user) return;
    const rank = tenant * (limits.per_user + 1) + user;
    if (best === undefined || rank < best.rank) best = { index, rank };
  });
  return best?.index;
}

function counts(ids: readonly number[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const id of ids) found.set(id, (found.get(id) ?? 0) + 1);
  return found;
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
    return () => {
      this.#underWay.splice(this.#underWay.indexOf(who), 1);
      this.#serve();
    };
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
