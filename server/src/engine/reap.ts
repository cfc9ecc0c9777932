/** Finds attempts whose worker is gone, and lets their work go on elsewhere. */
import type { Db } from '../db/connection.ts';
import { databaseTrouble } from '../db/trouble.ts';
import { leaseSeconds } from './attempt-queries.ts';
import { giveUp } from './attempts.ts';
import { limitWaits, lockFreeRun, lockRun, waitedTooLong } from './queries.ts';
import type { AttemptRow } from './records.ts';
import { planSweep } from './sweep.ts';
import { beginSweep, extendAllLeases, extendOverdueLeases, findOverdue } from './sweep-queries.ts';

/** SIGTERM, grace and a lease: after that a stop is enforced without the worker. */
export const stopSeconds = 10 + leaseSeconds;

/** A sweep that takes half a lease looks to the next one as if nobody had been there meanwhile. */
const longest_ms = (leaseSeconds * 1000) / 6;
/** How much of that may go into the wait for one run. */
const longestWait_ms = longest_ms / 2;

/**
 * One sweep. Attempts past their lease are lost; those told to stop and still not ended are
 * ended. Whether it may be that the workers only could not be heard is decided in sweep.ts. That
 * a sweep was here and what it extended are one transaction: one that fails there was not here.
 *
 * @returns how many attempts were given up.
 */
export async function reapLostAttempts(db: Db): Promise<number> {
  const { plan, at } = await db.transaction(async (tx) => {
    const silence = await beginSweep(tx);
    const plan = planSweep(silence, leaseSeconds * 1000);
    if (plan === 'extend_all') await extendAllLeases(tx);
    if (plan === 'extend_once') await extendOverdueLeases(tx);
    return { plan, at: new Date(silence.now_ms) };
  });
  if (plan === 'extend_all') return 0;

  return giveUpAll(db, await findOverdue(db, at, stopSeconds, 500));
}

/**
 * One run that is locked, or an attempt that cannot be given up, must not keep all others waiting.
 * So what is locked comes last, and what is left then is the next sweep's.
 *
 * @throws Error when some could not be given up, after all others were.
 */
async function giveUpAll(db: Db, overdue: AttemptRow[]): Promise<number> {
  const deadline = performance.now() + longest_ms;
  const faults: { id: number; cause: unknown }[] = [];
  let given = 0;
  const giveUpThose = async (attempts: AttemptRow[], lock: typeof lockRun) => {
    const left: AttemptRow[] = [];
    for (const attempt of attempts) {
      if (performance.now() > deadline) break;
      const isGiven = await giveUp(db, attempt, isStillOverdue(attempt), lock).catch((cause) => {
        if (databaseTrouble(cause)) throw cause;
        if (!waitedTooLong(cause)) faults.push({ id: attempt.id, cause });
        return undefined;
      });
      if (isGiven) given += 1;
      if (isGiven === false) left.push(attempt);
    }
    return left;
  };
  await giveUpThose(await giveUpThose(overdue, lockFreeRun), lockWithPatience);
  const [first] = faults;
  if (!first) return given;
  throw new Error(`${faults.length} attempts could not be given up, the first is ${first.id}`, {
    cause: first.cause,
  });
}

const isStillOverdue = (attempt: AttemptRow) => (current: AttemptRow) =>
  Date.parse(current.lease_expires_at) === Date.parse(attempt.lease_expires_at) ||
  current.cancel_requested_at !== undefined;

async function lockWithPatience(tx: Db, runId: number) {
  await limitWaits(tx, longestWait_ms);
  return lockRun(tx, runId);
}
