/** For queries whose best plan depends on their values. */
import type { Db } from './connection.ts';

/**
 * Runs queries that are planned for their values: a part of a text may be in every row or in none,
 * so the general plan of a prepared statement goes through all rows for the few.
 */
export const plannedAnew = <Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> =>
  db.transaction(async (tx) => {
    await tx`select set_config('plan_cache_mode', 'force_custom_plan', true)`;
    return work(tx);
  });
