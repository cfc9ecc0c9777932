/** The effect of a request, independent of HTTP. */
import type { Db } from './db/connection.ts';
import { DomainError } from './errors.ts';
import type { Turns } from './turns.ts';

export type Way = {
  /** Nothing is kept for a key, so it may be done together with what others ask for. */
  isAlone: boolean;
  /** It has the turn that it asked for. */
  hasTurn: boolean;
};

/**
 * Whether a request is the repetition of one that has been answered: `maybe` if it has an
 * Idempotency-Key that is not known yet.
 */
export type Repeat = 'no' | 'maybe' | 'yes';

/** What a request that is read as a stream finds out about earlier ones with its key. */
export type Repetition = {
  look(): Promise<Repeat>;
  /** The same once the other requests with this key that are being read have ended. */
  lookAgain(): Promise<Repeat>;
};

export const neverRepeats: Repetition = { look: async () => 'no', lookAgain: async () => 'no' };

/**
 * Does what has to be done before the bytes of a request are read.
 *
 * @returns undefined, without having done it, if the request repeats one that has been answered.
 * @throws what `admit` throws; but not for what the first request with the same key has taken.
 */
export async function admittedOnce<Result>(
  repetition: Repetition,
  admit: (mayRepeat: boolean) => Promise<Result>,
): Promise<Result | undefined> {
  const repeat = await repetition.look();
  if (repeat === 'yes') return undefined;
  if (repeat === 'no') return admit(false);
  try {
    return await admit(true);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return (await repetition.lookAgain()) === 'yes' ? undefined : admit(true);
  }
}

/** What a request does; in a transaction of its own, or in the one it is given. */
export type Effect<Result> = {
  (db: Db, way: Way): Promise<Result>;
  /** Whether the transaction it is given may run again from its beginning, see `How`. */
  isRepeatable?: true;
};

/** Says of an effect that it has none outside of the database. */
export const repeatable = <Result>(effect: Effect<Result>): Effect<Result> =>
  Object.assign(effect, { isRepeatable: true } as const);

/**
 * Thrown by an effect that has found out that it writes much. Nothing of it stays; it is done again
 * from its beginning when one of these turns is there, which is waited for without a connection.
 */
export class NeedsTurn extends Error {
  readonly turns: Turns;

  constructor(turns: Turns) {
    super('This needs a turn.');
    this.turns = turns;
  }
}
