/**
 * What tenants may spend in a period. A tenant with a limit has an account: what is granted for a period
 * is available, then held while work runs, and spent when that ends; the rest expires with the period.
 * A tenant without a limit has none. Holding and settling is the engine's (engine/tables/credits.ts).
 */
import { randomUUID } from 'node:crypto';
import type { Db } from '../db/connection.ts';
import { periodAt } from './periods.ts';
import { inCredits, inThousandths } from './prices.ts';
import {
  type Account,
  addAccount,
  addPostings,
  addToPeriod,
  closeAccount,
  findAccount,
  findBalances,
  findEnded,
  findImbalances,
  findTenantCredits,
  findUsed,
  foldAccount,
  foldAccounts,
  freeAttempts,
  liftTimeLimit,
  lockAccount,
  lockEnded,
  lockTenantCredits,
  startPeriod,
  tellOfCredits,
} from './queries.ts';

/** What a tenant has, in credits, exact to a thousandth. */
export type Credits = {
  plan: string;
  credits_used: number;
  credits_remaining?: number;
  credits_limit?: number;
  credits_added?: number;
  period_start: string;
  period_end: string;
};

export async function readCredits(db: Db, tenantId: number, now: Date): Promise<Credits> {
  const { plan, period_day, credits_limit, credit_account_id } = await findTenantCredits(
    db,
    tenantId,
  );
  if (credit_account_id === undefined || credits_limit === undefined) {
    const period = periodAt(period_day, now);
    const used = await findUsed(db, tenantId, period.period_start);
    return { plan, credits_used: inCredits(used), ...period };
  }
  const account = await findAccount(db, credit_account_id);
  const { period_start, period_end, added } = account;
  return {
    ...{ plan, credits_limit, period_start, period_end },
    ...(added > 0 && { credits_added: inCredits(added) }),
    credits_remaining: inCredits(leftOf(account, inThousandths(credits_limit))),
    credits_used: inCredits(usedIn(account)),
  };
}

/** What came back above a lowered limit expires as soon as it is folded; see migration 0177. */
const leftOf = (account: Account, limit: number) =>
  Math.max(0, Math.min(account.available, unusedOf(account, limit)));

/** Of the limit and what was added to it in this period; negative if that was lowered below what is used. */
const unusedOf = (account: Account, limit: number) =>
  limit + account.added - usedIn(account) - account.held;

/** What was spent of an account in its period; of a run's, in all. */
export const readSpent = async (db: Db, accountId: number): Promise<number> =>
  inCredits(usedIn(await findAccount(db, accountId)));

const usedIn = ({ spent, spent_before }: Account) => spent - spent_before;

/**
 * Makes the account of a tenant what its limit says, after that was changed: opens it, closes it, or grants more or less
 * for the period under way. What is held stays so.
 */
export async function followLimit(tx: Db, tenantId: number, now: Date): Promise<void> {
  const tenant = await lockTenantCredits(tx, tenantId);
  const { credits_limit, credit_account_id: id } = tenant;
  await tellOfCredits(tx);
  if (credits_limit === undefined) {
    if (id !== undefined) await close(tx, tenantId, id);
    return;
  }
  const limit = inThousandths(credits_limit);
  if (id === undefined) {
    const period = periodAt(tenant.period_day, now);
    const used = await findUsed(tx, tenantId, period.period_start);
    const opened = await addAccount(tx, tenantId, period, used);
    return grant(tx, opened, Math.max(0, limit - used), period.period_start);
  }
  const account = await lockedAccount(tx, id);
  const wanted = Math.max(0, unusedOf(account, limit));
  await grant(tx, id, wanted - account.available, `limit ${randomUUID()}`);
}

/**
 * Adds to what a tenant may use in the period under way; it ends with the period, as what is left does.
 *
 * @returns whether the tenant has a limit that can be added to.
 */
export async function addCredits(
  tx: Db,
  tenantId: number,
  credits: number,
  now: Date,
): Promise<boolean> {
  const { credit_account_id: id } = await lockTenantCredits(tx, tenantId);
  if (id === undefined) return false;
  // Else it would expire at once, with a period that is over, which somebody else may have locked.
  await lockAccount(tx, id);
  await startNextPeriod(tx, id, now);
  await addToPeriod(tx, id, inThousandths(credits));
  await followLimit(tx, tenantId, now);
  return true;
}

/** @param amount taken back if it is negative. */
async function grant(tx: Db, id: number, amount: number, source: string): Promise<void> {
  if (amount === 0) return;
  await addPostings(tx, id, [
    amount > 0
      ? { kind: 'grant', source, available: amount, issued: -amount }
      : { kind: 'expire', source, available: amount, expired: -amount },
  ]);
}

/** Its lock is always taken before those of attempts; see migration 0170. */
async function lockedAccount(tx: Db, id: number): Promise<Account> {
  await lockAccount(tx, id);
  await foldAccount(tx, id);
  return findBalances(tx, id);
}

async function close(tx: Db, tenantId: number, id: number): Promise<void> {
  await lockAccount(tx, id);
  // Waits for transactions that end some of them, so that their settlements are seen below.
  await freeAttempts(tx, tenantId, id);
  const { available, held } = await lockedAccount(tx, id);
  const source = 'closed';
  const expired = available + held;
  await addPostings(tx, id, [
    { kind: 'expire', source, available: -available, held: -held, expired },
  ]);
  await closeAccount(tx, tenantId, id);
}

/**
 * Starts the next period of accounts whose last one is over. What is left expires. What is held for
 * work under way is part of the new grant, because it is charged when it ends.
 *
 * @returns how many periods were started.
 */
export async function startDuePeriods(db: Db, now: Date, limit: number): Promise<number> {
  let started = 0;
  for (const { id } of await findEnded(db, now, limit))
    if (await db.transaction((tx) => startNextPeriod(tx, id, now))) started += 1;
  return started;
}

async function startNextPeriod(tx: Db, id: number, now: Date): Promise<boolean> {
  if (!(await lockEnded(tx, id, now))) return false;
  const { tenant_id, available, held, spent } = await lockedAccount(tx, id);
  const { credits_limit = 0, period_day } = await findTenantCredits(tx, tenant_id);
  const period = periodAt(period_day, now);
  const source = period.period_start;
  const granted = Math.max(inThousandths(credits_limit), held);
  await addPostings(tx, id, [
    { kind: 'expire', source, available: -available, held: -held, expired: available + held },
    { kind: 'grant', source, available: granted - held, held, issued: -granted },
  ]);
  await startPeriod(tx, id, period, spent);
  await tellOfCredits(tx);
  return true;
}

/** Adds what was settled to the balances of up to `limit` accounts. @returns of how many. */
export const foldCreditChanges = (db: Db, limit: number): Promise<number> =>
  foldAccounts(db, limit);

/** Accounts that are not what their postings say; there are none, unless something is broken. */
export const findMisposted = (db: Db, tenantId?: number) =>
  db.transaction(async (tx) => {
    // Reads everything, so it may take longer than statements of users may.
    await liftTimeLimit(tx);
    return findImbalances(tx, tenantId);
  });
