/** SQL of statistics (migration 0120): sums, and changes that have not been added to them yet. */
import type { Db } from '../../../db/connection.ts';

export type Measure =
  | 'runs_started'
  | 'runs_finished'
  | 'run_durations'
  | 'runs_of_user'
  | 'active_user'
  | 'attempts_of_node'
  | 'attempts_of_worker'
  | 'credits'
  | 'stored_bytes';

/**
 * What a report needs of a measure: `sum` over all keys; `status`: by what stands behind the colon of
 * the key; `top`: the whole keys of those ids that have most; `keys`: all keys, of which there are
 * few; `distinct`: how many keys there are, also over the whole range.
 */
export type Need = 'sum' | 'status' | 'top' | 'keys' | 'distinct';

/** The measures of a report. One at most has `top`. */
export type Needs = Partial<Record<Need, readonly Measure[]>>;

/** What was counted in a period. */
export type Counted = {
  need: Need;
  /** Which period, from 0; -1: the whole range. */
  at: number;
  measure: Measure;
  key: string;
  count: number;
  /** Milliseconds, thousandths of credits or bytes. */
  amount: number;
};

/** Undefined: of all tenants. */
export type Whose = number | undefined;

/** In one statement, so that a change is either noted or already in the sums. */
const noted = (db: Db, whose: Whose, measures: readonly Measure[]) => {
  const matching = db`
    measure = any(${measures as Measure[]}::text[])
    ${whose === undefined ? db`` : db`and tenant_id = ${whose}`}
  `;
  return db`
    (
      select * from statistics where ${matching}
      union all
      select * from statistic_changes where ${matching}
    ) as noted
  `;
};

/** The ids that have most; a chart of more would say nothing. */
const mostIds = 50;

/**
 * Aggregated here as far as a report needs it: a month of hours has a million rows where many people
 * work, and a process that reads them serves nobody meanwhile.
 *
 * @param limits the beginnings of the periods, and the end of the last, as `periodLimits` has them.
 */
export function sumByPeriod(db: Db, whose: Whose, needs: Needs, limits: readonly Date[]) {
  const { sum = [], status = [], top = [], keys = [], distinct = [] } = needs;
  const of = (measures: readonly Measure[]) =>
    db`from facts where measure = any(${measures as Measure[]}::text[])`;
  const sums = db`sum(count)::bigint as count, sum(amount)::bigint as amount`;
  // As `worthOf` in reports.ts. The count of credits is that of the containers that used them.
  const worth = db`case measure when 'credits' then amount else count end`;
  return db<Counted[]>`
    with facts as materialized (
      select
        width_bucket(bucket, ${limits as Date[]}::timestamptz[]) - 1 as at, measure, key,
        sum(count) as count, sum(amount) as amount
      from ${noted(db, whose, [...new Set([...sum, ...status, ...top, ...keys, ...distinct])])}
      where bucket >= ${limits[0] as Date} and bucket < ${limits.at(-1) as Date}
      group by 1, 2, 3
    ),
    top as (
      select split_part(key, ':', 1) as id ${of(top)}
      group by 1
      order by sum(${worth}) desc, split_part(key, ':', 1)::bigint
      limit ${mostIds}
    )
    select 'sum' as need, at, measure, '' as key, ${sums} ${of(sum)} group by at, measure
    union all
    select 'status', at, measure, split_part(key, ':', 2), ${sums} ${of(status)}
    group by at, measure, split_part(key, ':', 2)
    union all
    select 'top', at, measure, key, count::bigint, amount::bigint ${of(top)}
      and split_part(key, ':', 1) in (select id from top)
    union all
    select 'keys', at, measure, key, count::bigint, amount::bigint ${of(keys)}
    union all
    select 'distinct', coalesce(at, -1), measure, '', count(distinct key), 0 ${of(distinct)}
    group by grouping sets ((at, measure), (measure))
  `;
}

/** The sum of a measure before an instant. */
export async function sumBefore(db: Db, whose: Whose, measure: Measure, at: Date): Promise<number> {
  const [row] = await db<{ amount: number }[]>`
    select coalesce(sum(amount), 0)::bigint as amount
    from ${noted(db, whose, [measure])}
    where bucket < ${at}
  `;
  return row?.amount ?? 0;
}

export type Named = 'workflow' | 'definition' | 'user' | 'worker';

/** What they are called now; those that are gone are not in it. */
export const findNames = (db: Db, whose: Whose, what: Named, ids: readonly number[]) => {
  const mine = db`${whose === undefined ? db`` : db`and (tenant_id = ${whose} or tenant_id is null)`}`;
  const named = {
    workflow: db`select id, name from workflows where id = any(${ids as number[]}) ${mine}`,
    definition: db`
      select id, name || ' ' || version as name from node_definitions
      where id = any(${ids as number[]}) ${mine}
    `,
    user: db`select id, email as name from users where id = any(${ids as number[]}) ${mine}`,
    worker: db`select id, name from workers where id = any(${ids as number[]}) ${mine}`,
  }[what];
  return db<{ id: number; name: string }[]>`${named}`;
};

/** Adds noted changes to the sums; concurrent calls take different ones. @returns how many. */
export async function foldStatistics(db: Db, limit: number): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    with taken as (
      delete from statistic_changes
      where ctid = any(array(
        select ctid from statistic_changes limit ${limit} for update skip locked
      ))
      returning *
    ),
    added as (
      insert into statistics as sums (tenant_id, measure, bucket, key, count, amount)
      select tenant_id, measure, bucket, key, sum(count), sum(amount)
      from taken
      group by tenant_id, measure, bucket, key
      -- One order for all, so that concurrent calls cannot deadlock.
      order by tenant_id, measure, bucket, key
      on conflict (tenant_id, measure, bucket, key) do update
      set count = sums.count + excluded.count, amount = sums.amount + excluded.amount
    )
    select count(*) as count from taken
  `;
  return row?.count ?? 0;
}
