/**
 * SQL of credits that are held for attempts, a slice at a time. The fragment needs `work` in scope, with
 * a `tenant_id`.
 */
import { margin_ms, slice_ms } from '../../credits/prices.ts';
import type { Db } from '../../db/connection.ts';
import type { Payment } from '../kernel/changes.ts';

/**
 * The accounts of a tenant and of a run, each with what it has available and held. Absent where there
 * is none; -1 is available while another transaction uses it.
 */
export type CountedCredits = {
  tenant_account_id?: number;
  tenant_credits?: number[];
  run_account_id?: number;
  run_credits?: number[];
};

export const tenantAccount = (db: Db) => db`
  (select credit_account_id from tenants where tenants.id = work.tenant_id)
`;

/** Ids for accounts of new runs. */
export const reserveAccounts = async (tx: Db, count: number): Promise<number[]> => {
  const rows = await tx<{ id: number }[]>`
    select nextval(pg_get_serial_sequence('credit_accounts', 'id')) as id
    from generate_series(1, ${count}::int)
  `;
  return rows.map(({ id }) => id);
};

export type RunAccount = { id: number; tenant_id: number; run_id: number; thousandths: number };

/** Opens accounts of new runs, each with all that its run may spend. */
export const openRunAccounts = (tx: Db, accounts: readonly RunAccount[]) => tx`
  with opened as (
    insert into credit_accounts (id, tenant_id, run_id)
    select id, tenant_id, run_id
    from unnest(
      ${accounts.map(({ id }) => id)}::bigint[],
      ${accounts.map(({ tenant_id }) => tenant_id)}::bigint[],
      ${accounts.map(({ run_id }) => run_id)}::bigint[]
    ) as new (id, tenant_id, run_id)
  )
  insert into credit_postings (account_id, kind, source, available, issued)
  select id, 'grant', 'start', amount, -amount
  from unnest(
    ${accounts.map(({ id }) => id)}::bigint[],
    ${accounts.map(({ thousandths }) => thousandths)}::bigint[]
  ) as new (id, amount)
`;

/** What runs have of their own, by now; more is held for a run only under its lock. */
export const findRunCredits = (tx: Db, runIds: readonly number[]) => tx<
  { run_id: number; available: number; held: number }[]
>`
  select run_id, account.available + noted.available as available, account.held + noted.held as held
  from credit_accounts as account
  cross join lateral (
    select coalesce(sum(available), 0)::bigint as available, coalesce(sum(held), 0)::bigint as held
    from credit_changes where account_id = account.id
  ) as noted
  where run_id = any(${runIds}::bigint[])
`;

/** Holds the first slice of each of these attempts, in accounts that this transaction has locked. */
export const holdSlices = (tx: Db, attempts: readonly (Payment & { id: number })[]) => tx`
  with paid as (
    update attempts
    set tenant_account_id = payment.tenant_account_id, run_account_id = payment.run_account_id,
        credit_slice = slice, credits_held = slice
    from unnest(
      ${attempts.map(({ id }) => id)}::bigint[],
      ${attempts.map(({ tenant_account_id }) => tenant_account_id ?? null)}::bigint[],
      ${attempts.map(({ run_account_id }) => run_account_id ?? null)}::bigint[],
      ${attempts.map(({ credit_slice }) => credit_slice)}::bigint[]
    ) as payment (id, tenant_account_id, run_account_id, slice)
    where attempts.id = payment.id
    returning payment.*
  )
  insert into credit_postings (account_id, kind, source, available, held)
  select account_id, 'hold', min(id)::text, -sum(slice), sum(slice)
  from paid
  cross join lateral unnest(array[tenant_account_id, run_account_id]) as account_id
  where account_id is not null
  group by account_id
`;

/**
 * Charges these attempts, which have just ended, to the accounts that hold credits for them, and gives
 * back the rest. Their usage events say what they cost, which is never more than what is held.
 */
export const settleHolds = (tx: Db, attemptIds: readonly number[]) => tx`
  insert into credit_postings (account_id, kind, source, available, held, spent)
  select account_id, 'settle', min(attempts.id)::text, sum(credits_held - cost), -sum(credits_held),
    sum(cost)
  from attempts
  cross join lateral unnest(array[tenant_account_id, run_account_id]) as account_id
  cross join lateral (
    select coalesce((select millicredits from usage_events where attempt_id = attempts.id), 0) as cost
  ) as usage
  where attempts.id = any(${attemptIds}::bigint[]) and account_id is not null
  group by account_id
`;

/**
 * SQL fragment of `attempts`: whether it is held for, and less time is paid for than more is held at.
 */
export const isShort = (db: Db) => db`
  coalesce(
    credit_slice is not null and cancel_requested_at is null
      and credits_held / credit_slice * ${slice_ms}::bigint
        - milliseconds_between(started_at, clock_timestamp()) < ${margin_ms}::bigint,
    false
  )
`;

/** An attempt that is held for, and what its accounts are. */
export type Held = {
  id: number;
  tenant_account_id?: number;
  run_account_id?: number;
  credit_slice: number;
  credits_held: number;
  /** How long it has run. */
  ran_ms: number;
};

/** Locks those of these attempts that are held for and run, but for those that others are changing. */
export const lockHeld = (tx: Db, workerId: number, ids: readonly number[]) => tx<Held[]>`
  select id, tenant_account_id, run_account_id, credit_slice, credits_held,
    milliseconds_between(started_at, clock_timestamp()) as ran_ms
  from attempts
  where id = any(${ids}::bigint[]) and worker_id = ${workerId} and status in ('leased', 'running')
    and started_at is not null and credit_slice is not null and cancel_requested_at is null
  order by id
  for update skip locked
`;

/** What the accounts of these attempts have; each is locked, unless another transaction has. */
export const openAccountsOf = (tx: Db, ids: readonly number[]) => tx<
  { account_id: number; credits: number[] }[]
>`
  select account_id, open_credits(account_id) as credits
  from (
    select distinct account_id
    from attempts
    cross join lateral unnest(array[tenant_account_id, run_account_id]) as account_id
    where attempts.id = any(${ids}::bigint[]) and account_id is not null
    order by account_id
  ) as account
`;

/** Holds so much more for each of these attempts, in accounts that this transaction has locked. */
export const holdMoreFor = (tx: Db, attempts: readonly { id: number; amount: number }[]) => tx`
  with paid as (
    update attempts
    set credits_held = credits_held + amount
    from unnest(
      ${attempts.map(({ id }) => id)}::bigint[], ${attempts.map(({ amount }) => amount)}::bigint[]
    ) as more (id, amount)
    where attempts.id = more.id
    returning attempts.id, tenant_account_id, run_account_id, credits_held, amount
  )
  insert into credit_postings (account_id, kind, source, available, held)
  -- No attempt is ever posted twice with the same that it has by then.
  select account_id, 'hold', 'until ' || min(id || ' ' || credits_held), -sum(amount), sum(amount)
  from paid
  cross join lateral unnest(array[tenant_account_id, run_account_id]) as account_id
  where account_id is not null
  group by account_id
`;

/** Tells attempts to stop for want of credits. */
export const stopUnpaid = (tx: Db, ids: readonly number[]) => tx`
  update attempts set unpaid_at = now(), cancel_requested_at = now()
  where id = any(${ids}::bigint[])
`;
