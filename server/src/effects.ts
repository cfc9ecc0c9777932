/** What requests do, apart from how they came in. */
import type { Db } from './db/connection.ts';

/**
 * What a request does; in a transaction of its own, or in the one it is given. `isAlone`: nothing
 * is kept for a key, so it may be done together with what others ask for.
 */
export type Effect<Result> = (db: Db, isAlone: boolean) => Promise<Result>;
