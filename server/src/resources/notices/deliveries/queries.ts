/** SQL of the messages of notices. A trigger of the database writes those about runs. */
import type { Db } from '../../../db/connection.ts';
import { pageOf } from '../../../db/page-of.ts';
import type { Tag } from '../../../db/statement.ts';
import type { Page } from '../../../pages.ts';
import type { NoticeKey } from '../queries.ts';
import type { NoticeDelivery } from '../schema.ts';

const shownColumns = (db: Tag) => db`
  delivery.id, delivery.message_id, delivery.type, delivery.run_id as workflow_run_id,
  delivery.state, delivery.created_at,
  case when delivery.state = 'waiting' then delivery.next_attempt_at end as next_attempt_at,
  (
    select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(attempt)) order by attempted_at), '[]')
    from (
      select to_char(attempted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as attempted_at,
             duration_ms, status, error
      from notice_attempts
      where tenant_id = delivery.tenant_id and delivery_id = delivery.id
      order by id desc
      limit 50
    ) as attempt
  ) as attempts
`;

export async function listDeliveryRows(
  db: Db,
  { tenant_id, id }: NoticeKey,
  state: NoticeDelivery['state'] | undefined,
  { after, offset, limit, with_total }: Page,
) {
  const matching = db`
    delivery.tenant_id = ${tenant_id} and delivery.notice_id = ${id}
    ${state === undefined ? db`` : db`and delivery.state = ${state}`}
  `;
  const ordered = db`
    select ${shownColumns(db)}
    from notice_deliveries as delivery
    where ${matching} ${after === undefined ? db`` : db`and delivery.id < ${after[0] ?? 0}`}
    order by delivery.id desc
  `;
  const rows = await db<NoticeDelivery[]>`${pageOf(db, { limit, offset }, ordered)}`;
  if (!with_total) return { rows };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total from notice_deliveries as delivery where ${matching}
  `;
  return { rows, total: count?.total ?? 0 };
}

export async function findDelivery(db: Db, { tenant_id, id }: NoticeKey, deliveryId: number) {
  const [row] = await db<NoticeDelivery[]>`
    select ${shownColumns(db)}
    from notice_deliveries as delivery
    where delivery.tenant_id = ${tenant_id} and delivery.notice_id = ${id}
      and delivery.id = ${deliveryId}
  `;
  return row;
}

/** @returns its id. */
export async function addTest(db: Db, { tenant_id, id }: NoticeKey): Promise<number> {
  const [row] = await db<{ id: number }[]>`
    insert into notice_deliveries (tenant_id, notice_id, type)
    values (${tenant_id}, ${id}, 'test')
    returning id
  `;
  return row?.id ?? 0;
}

/** The column has milliseconds: rounded up, it would not be due yet. */
const atOnce = (db: Db) => db`date_trunc('milliseconds', statement_timestamp())`;

/** From its first attempt on. One that is being sent stays as it is. */
export const sendAgain = (db: Db, { tenant_id, id }: NoticeKey, deliveryId: number) => db`
  update notice_deliveries
  set state = 'waiting', failures = 0, next_attempt_at = ${atOnce(db)}
  where tenant_id = ${tenant_id} and notice_id = ${id} and id = ${deliveryId}
    and (leased_until is null or leased_until <= statement_timestamp())
`;

/** More would take longer than a request may. */
const mostAtOnce = 5000;

/** For a notice that is turned on again: those that were to come first. The others keep their time. */
export const sendWaitingNow = (db: Db, { tenant_id, id }: NoticeKey) => db`
  update notice_deliveries
  set next_attempt_at = ${atOnce(db)}
  where tenant_id = ${tenant_id} and notice_id = ${id} and state = 'waiting'
    and next_attempt_at > statement_timestamp()
    -- Not by a list of ids: a table that has just been filled would be compared with it row by row.
    and (next_attempt_at, id) < (
      (
        select next_attempt_at, id
        from notice_deliveries
        where tenant_id = ${tenant_id} and notice_id = ${id} and state = 'waiting'
          and next_attempt_at > statement_timestamp()
        order by next_attempt_at, id
        offset ${mostAtOnce}
        limit 1
      )
      union all
      select 'infinity', 0
      limit 1
    )
`;

/** For a notice that is deleted. Its other messages are removed by `removeOrphans`. */
export const removeSomeOf = (db: Db, { tenant_id, id }: NoticeKey) => db`
  delete from notice_deliveries
  where tenant_id = ${tenant_id} and notice_id = ${id} and id < coalesce((
    select id
    from notice_deliveries
    where tenant_id = ${tenant_id} and notice_id = ${id}
    order by id
    offset ${mostAtOnce}
    limit 1
  ), ${Number.MAX_SAFE_INTEGER})
`;

/** Days for which messages are kept, also those that wait for a notice to be turned on. */
const keptDays = 30;

/** @returns how many it removed. */
export async function removeOldDeliveries(db: Db, limit: number): Promise<number> {
  const removed = await db`
    delete from notice_deliveries
    where id in (
      select id from notice_deliveries
      where created_at < now() - ${keptDays} * interval '1 day'
      order by created_at
      limit ${limit}
    )
  `;
  return removed.count;
}

/** Removes messages whose notice is gone. @returns how many. */
export async function removeOrphans(db: Db, limit: number): Promise<number> {
  const removed = await db`
    with recursive told as (
      (
        select tenant_id, notice_id from notice_deliveries order by tenant_id, notice_id limit 1
      )
      union all
      select next.tenant_id, next.notice_id
      from told
      cross join lateral (
        select tenant_id, notice_id
        from notice_deliveries as delivery
        where (delivery.tenant_id, delivery.notice_id) > (told.tenant_id, told.notice_id)
        order by tenant_id, notice_id
        limit 1
      ) as next
    )
    delete from notice_deliveries
    where id in (
      select orphan.id
      from told
      left join notices on notices.tenant_id = told.tenant_id and notices.id = told.notice_id
      cross join lateral (
        select id
        from notice_deliveries as delivery
        where delivery.tenant_id = told.tenant_id and delivery.notice_id = told.notice_id
        limit ${limit}
      ) as orphan
      where notices.id is null
      limit ${limit}
    )
  `;
  return removed.count;
}
