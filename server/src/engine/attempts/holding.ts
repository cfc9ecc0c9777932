/** Holds more credits for attempts of a worker, as it says that it still runs them. */
import { margin_ms, slice_ms } from '../../credits/prices.ts';
import type { Connection } from '../../db/connection.ts';
import { type Held, holdMoreFor, lockHeld, openAccountsOf, stopUnpaid } from '../tables/credits.ts';

/** How often an account is tried that another transaction has locked; the next heartbeat tries again. */
const mostTries = 3;

/**
 * @param stop_ms how long it takes to stop one: what cannot be paid for longer is told to.
 * @returns those told to stop.
 */
export async function holdMore(
  db: Connection,
  workerId: number,
  renewed: readonly { id: number; is_short: boolean }[],
  stop_ms: number,
): Promise<Set<number>> {
  const stopped = new Set<number>();
  let short = renewed.filter(({ is_short }) => is_short).map(({ id }) => id);
  for (let tries = 0; short.length > 0 && tries < mostTries; tries += 1) {
    const decided = await holdOnce(db, workerId, short, stop_ms);
    for (const id of decided.stopped) stopped.add(id);
    short = decided.locked;
  }
  return stopped;
}

const holdOnce = (db: Connection, workerId: number, ids: readonly number[], stop_ms: number) =>
  db.transaction(
    async (tx) => {
      const [held, accounts] = await Promise.all([
        lockHeld(tx, workerId, ids),
        openAccountsOf(tx, ids),
      ]);
      const available = new Map(
        accounts.map(({ account_id, credits: [left = -1] }) => [account_id, left]),
      );
      const decided = shares(held, available, stop_ms);
      const { more, stopped } = decided;
      await tx.commit([
        ...(more.length > 0 ? [holdMoreFor(tx, more)] : []),
        ...(stopped.length > 0 ? [stopUnpaid(tx, stopped)] : []),
      ]);
      return decided;
    },
    { readsFirst: true, alongKeys: true },
  );

/**
 * Shares out what accounts have among attempts that are short, those first that are paid for the least time.
 *
 * @param available by account; -1 in one that another transaction has locked.
 * @returns which get how much more, which are told to stop, and which have to be tried again.
 */
function shares(attempts: readonly Held[], available: Map<number, number>, stop_ms: number) {
  const more: { id: number; amount: number }[] = [];
  const stopped: number[] = [];
  const locked: number[] = [];
  const short = attempts
    .map((one) => ({ ...one, left_ms: leftOf(one) }))
    .filter(({ left_ms }) => left_ms < margin_ms)
    .sort((a, b) => a.left_ms - b.left_ms);
  for (const { id, left_ms, credit_slice, tenant_account_id, run_account_id } of short) {
    const accounts = [tenant_account_id, run_account_id].filter((one) => one !== undefined);
    const amount = credit_slice * Math.ceil((margin_ms - left_ms) / slice_ms);
    const rooms = accounts.map((account) => available.get(account) ?? -1);
    if (rooms.includes(-1)) locked.push(id);
    else if (rooms.every((room) => room >= amount)) {
      for (const account of accounts)
        available.set(account, (available.get(account) ?? 0) - amount);
      more.push({ id, amount });
    } else if (left_ms < stop_ms) stopped.push(id);
  }
  return { more, stopped, locked };
}

/** For how much longer an attempt is paid. */
const leftOf = ({ credits_held, credit_slice, ran_ms }: Held): number =>
  Math.floor(credits_held / credit_slice) * slice_ms - ran_ms;
