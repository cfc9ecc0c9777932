/** SQL of accounts of credits. Amounts are thousandths of credits. */
import type { Db } from '../db/connection.ts';
import type { Period } from './periods.ts';
import type { PlanName } from './plans.ts';

export type Balances = { available: number; held: number; spent: number };

export type Account = Balances &
  Period & {
    id: number;
    tenant_id: number;
    /** `spent` when the period began. */
    spent_before: number;
    /** To its limit, in this period. */
    added: number;
  };

export type TenantCredits = {
  plan: PlanName;
  period_day: number;
  /** In whole credits; absent without a limit. */
  credits_limit?: number;
  credit_account_id?: number;
};

const ofTenant = (db: Db) => db`plan, period_day, credits_limit, credit_account_id`;

export async function findTenantCredits(db: Db, tenantId: number): Promise<TenantCredits> {
  const [row] = await db<TenantCredits[]>`
    select ${ofTenant(db)} from tenants where id = ${tenantId}
  `;
  if (!row) throw new Error(`There is no tenant ${tenantId}.`);
  return row;
}

/** Serializes changes of the limit. */
export async function lockTenantCredits(tx: Db, tenantId: number): Promise<TenantCredits> {
  const [row] = await tx<TenantCredits[]>`
    select ${ofTenant(tx)} from tenants where id = ${tenantId} for no key update
  `;
  if (!row) throw new Error(`There is no tenant ${tenantId}.`);
  return row;
}

/** With what is noted and not yet in its balances. */
export async function findAccount(db: Db, id: number): Promise<Account> {
  const [row] = await db<Account[]>`
    select id, tenant_id, period_start, period_end, spent_before, added,
      account.available + noted.available as available, account.held + noted.held as held,
      account.spent + noted.spent as spent
    from credit_accounts as account
    cross join lateral (
      select coalesce(sum(available), 0)::bigint as available,
        coalesce(sum(held), 0)::bigint as held, coalesce(sum(spent), 0)::bigint as spent
      from credit_changes where account_id = account.id
    ) as noted
    where id = ${id}
  `;
  if (!row) throw new Error(`There is no account ${id}.`);
  return row;
}

/** Waits for the lock of an account. */
export const lockAccount = (tx: Db, id: number) =>
  tx`select from credit_accounts where id = ${id} for no key update`;

/** Without what is noted: only that can be posted which is in the balances. */
export async function findBalances(tx: Db, id: number): Promise<Account> {
  const [row] = await tx<Account[]>`
    select id, tenant_id, available, held, spent, period_start, period_end, spent_before, added
    from credit_accounts
    where id = ${id}
  `;
  if (!row) throw new Error(`There is no account ${id}.`);
  return row;
}

/** Adds to its balances what is noted. The account must be locked by an earlier statement. */
export const foldAccount = (tx: Db, id: number) => tx`select fold_credits(${id})`;

/** What a tenant without an account has used since then. */
export async function findUsed(db: Db, tenantId: number, since: string): Promise<number> {
  const [row] = await db<{ used: number }[]>`
    select coalesce(sum(amount), 0)::bigint as used
    from (
      select amount from statistics
      where tenant_id = ${tenantId} and measure = 'credits' and bucket >= ${since}
      union all
      select amount from statistic_changes
      where tenant_id = ${tenantId} and measure = 'credits' and bucket >= ${since}
    ) as uses
  `;
  return row?.used ?? 0;
}

/** @param used in its period so far. @returns its id. */
export async function addAccount(
  tx: Db,
  tenantId: number,
  { period_start, period_end }: Period,
  used: number,
): Promise<number> {
  const [row] = await tx<{ id: number }[]>`
    with opened as (
      insert into credit_accounts (tenant_id, period_start, period_end, spent_before)
      values (${tenantId}, ${period_start}, ${period_end}, ${-used})
      returning id
    )
    update tenants set credit_account_id = opened.id from opened where tenants.id = ${tenantId}
    returning opened.id
  `;
  if (!row) throw new Error('The account was not opened.');
  return row.id;
}

export type Posting = {
  kind: 'grant' | 'expire';
  source: string;
  available?: number;
  held?: number;
  expired?: number;
  issued?: number;
};

export const addPostings = (tx: Db, accountId: number, postings: readonly Posting[]) => tx`
  insert into credit_postings (account_id, kind, source, available, held, expired, issued)
  select ${accountId}, * from unnest(
    ${postings.map(({ kind }) => kind)}::text[],
    ${postings.map(({ source }) => source)}::text[],
    ${postings.map(({ available = 0 }) => available)}::bigint[],
    ${postings.map(({ held = 0 }) => held)}::bigint[],
    ${postings.map(({ expired = 0 }) => expired)}::bigint[],
    ${postings.map(({ issued = 0 }) => issued)}::bigint[]
  )
`;

/** Work that waits for credits may start, here and in other processes, after the commit. */
export const tellOfCredits = (tx: Db) => tx`select tell('work', '')`;

/** What the tenant has running is no longer paid from its account, which has no limit any more. */
export const freeAttempts = (tx: Db, tenantId: number, accountId: number) => tx`
  with live as (
    select id
    from attempts
    where tenant_id = ${tenantId} and status in ('leased', 'running')
      and tenant_account_id = ${accountId}
    order by id
    for update
  )
  update attempts
  set tenant_account_id = null,
      credit_slice = case when run_account_id is not null then credit_slice end,
      credits_held = case when run_account_id is not null then credits_held end
  from live
  where attempts.id = live.id
`;

export const closeAccount = (tx: Db, tenantId: number, accountId: number) => tx`
  with closed as (
    update credit_accounts set closed_at = now() where id = ${accountId}
  )
  update tenants set credit_account_id = null where id = ${tenantId}
`;

export const addToPeriod = (tx: Db, id: number, thousandths: number) =>
  tx`update credit_accounts set added = added + ${thousandths} where id = ${id}`;

export const startPeriod = (
  tx: Db,
  id: number,
  { period_start, period_end }: Period,
  spent_before: number,
) => tx`
  update credit_accounts
  set period_start = ${period_start}, period_end = ${period_end}, spent_before = ${spent_before},
      added = 0
  where id = ${id}
`;

/** Accounts whose period is over. */
export const findEnded = (db: Db, now: Date, limit: number) => db<{ id: number }[]>`
  select id
  from credit_accounts
  where closed_at is null and period_end <= ${now}
  order by period_end
  limit ${limit}
`;

/**
 * Locks an account whose period is over, unless somebody else has begun the next one meanwhile, or has locked it: the
 * accounts of all others must not wait for one.
 */
export async function lockEnded(tx: Db, id: number, now: Date): Promise<boolean> {
  const found = await tx`
    select from credit_accounts
    where id = ${id} and closed_at is null and period_end <= ${now}
    for no key update skip locked
  `;
  return found.count > 0;
}

/** Adds to the balances of accounts what is noted. @returns of how many. */
export async function foldAccounts(db: Db, limit: number): Promise<number> {
  const folded = await db`
    select fold_credits(id)
    from (
      select id
      from credit_accounts
      where id in (select account_id from credit_changes limit ${limit})
      for no key update skip locked
    ) as noted
  `;
  return folded.count;
}

export const liftTimeLimit = (tx: Db) => tx`set local statement_timeout = 0`;

/**
 * What differs from the postings, attempts and usage events it must follow from; nothing, unless something
 * is broken. Reads all of them, once.
 */
export const findImbalances = (db: Db, tenantId?: number) => db<{ id: number; fault: string }[]>`
  with posted as (
    select account_id, sum(available) as available, sum(held) as held, sum(spent) as spent,
      sum(expired) as expired, sum(issued) as issued
    from credit_postings
    group by account_id
  ),
  noted as (
    select account_id, sum(available) as available, sum(held) as held, sum(spent) as spent
    from credit_changes
    group by account_id
  ),
  attempted as (
    select account_id, sum(millicredits) as spent,
      sum(credits_held) filter (where status in ('leased', 'running')) as held
    from attempts
    cross join lateral unnest(array[tenant_account_id, run_account_id]) as account_id
    left join usage_events on attempt_id = attempts.id
    where credits_held is not null and account_id is not null
    group by account_id
  )
  select account.id, fault
  from credit_accounts as account
  left join posted on posted.account_id = account.id
  left join noted on noted.account_id = account.id
  left join attempted on attempted.account_id = account.id
  cross join lateral (
    values
      ('available', account.available + coalesce(noted.available, 0), posted.available),
      ('held', account.held + coalesce(noted.held, 0), posted.held),
      ('spent', account.spent + coalesce(noted.spent, 0), posted.spent),
      ('expired', account.expired, posted.expired),
      ('issued', account.issued, posted.issued),
      ('held by attempts', attempted.held, posted.held),
      ('spent by attempts', attempted.spent, posted.spent)
  ) as balances (fault, found, wanted)
  where coalesce(found, 0) <> coalesce(wanted, 0)
    ${tenantId === undefined ? db`` : db`and account.tenant_id = ${tenantId}`}
`;
