/** Finds attempts whose worker is lost, so that other workers can continue their work. */
import type { Db } from '../../db/connection.ts';
import { databaseTrouble } from '../../db/trouble.ts';
import type { AttemptRow } from '../records.ts';
import type { Rounds } from '../rounds/rounds.ts';
import { leaseSeconds } from '../tables/attempts.ts';
import { beginSweep, extendAllLeases, extendOverdueLeases, findOverdue } from '../tables/sweep.ts';
import { planSweep } from './silence.ts';

/** SIGTERM, grace period and a lease: after this time a stop is enforced without the worker. */
export const stopSeconds = 10 + leaseSeconds;

/** Attempts per sweep; the rest is left for the next one. */
const most = 500;

/**
 * One sweep. Attempts past their lease are given up, and so are those that did not stop in time.
 * silence.ts decides whether the workers may only have been unreachable. The record of the sweep
 * and its lease extensions are one transaction: if that fails, the sweep does not count.
 *
 * @returns how many attempts were given up.
 * @throws Error if some could not be given up, after all others were.
 */
export async function giveUpLostAttempts({
  engineDb: db,
  rounds,
}: {
  engineDb: Db;
  rounds: Rounds;
}): Promise<number> {
  const { plan, at } = await db.transaction(async (tx) => {
    const silence = await beginSweep(tx);
    const plan = planSweep(silence, leaseSeconds * 1000);
    if (plan === 'extend_all') await extendAllLeases(tx);
    if (plan === 'extend_once') await extendOverdueLeases(tx);
    return { plan, at: new Date(silence.now_ms) };
  });
  if (plan === 'extend_all') return 0;

  const overdue = await findOverdue(db, at, stopSeconds, most);
  const tasks = overdue.map((attempt) => ({
    do: 'give up' as const,
    attempt,
    isLost: isStillOverdue(attempt),
    // A locked run must not delay the sweep for long; the next sweep tries again.
    wait_ms: 2000,
  }));
  const results = await rounds.together(tasks, undefined).results;
  const faults = results.flatMap((result, index) =>
    'error' in result ? [{ id: tasks[index]?.attempt.id, cause: result.error }] : [],
  );
  const given = results.filter((result) => 'result' in result && result.result.is_given).length;
  const [first] = faults;
  if (!first) return given;
  if (databaseTrouble(first.cause)) throw first.cause;
  throw new Error(`${faults.length} attempts could not be given up, the first is ${first.id}`, {
    cause: first.cause,
  });
}

const isStillOverdue = (attempt: AttemptRow) => (current: AttemptRow) =>
  Date.parse(current.lease_expires_at) === Date.parse(attempt.lease_expires_at) ||
  current.cancel_requested_at !== undefined;
