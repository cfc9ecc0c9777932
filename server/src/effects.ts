/** The effect of a request, independent of HTTP. */
import type { Db } from './db/connection.ts';
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

export const neverRepeats = async (): Promise<Repeat> => 'no';

/** What a request does; in a transaction of its own, or in the one it is given. */
export type Effect<Result> = (db: Db, way: Way) => Promise<Result>;

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
