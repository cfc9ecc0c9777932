/** SQL of webhooks: their secrets, the messages that came, and what became of them. */
import type { Db } from '../../../db/connection.ts';
import { pageOf } from '../../../db/page-of.ts';
import type { Tag } from '../../../db/statement.ts';
import type { Page } from '../../../pages.ts';
import { alongTrigger, triggerColumns, type WebhookRow } from '../queries.ts';
import type { Delivery, DeliveryWithBody } from '../schema.ts';

type Key = Pick<WebhookRow, 'tenant_id' | 'id'>;

export type HookRow = WebhookRow & { sealed_secrets: Uint8Array[] };

/** The webhook with this address, with the secrets that are valid now. */
export async function findHook(db: Tag, publicId: string): Promise<HookRow | undefined> {
  const [row] = await db<HookRow[]>`
    select ${triggerColumns(db)},
      array(
        select sealed_value
        from trigger_secrets as secret
        where secret.tenant_id = trigger.tenant_id and secret.trigger_id = trigger.id
          and (secret.ends_at is null or secret.ends_at > clock_timestamp())
        order by secret.id desc
      ) as sealed_secrets
    from triggers as trigger
    where trigger.public_id = ${publicId}
  `;
  return row;
}

/** Where the secrets of a webhook are. */
export const secretRows = (db: Tag, { tenant_id, id }: Key) => ({
  ...{ table: db`trigger_secrets`, hook_id: db`trigger_id` },
  ...{ tenant_id, id },
});

/** How long the repetition of a message is recognised. */
const messageLife = '24 hours';

/**
 * Claims a message for this transaction; another one with the same message waits for its end.
 *
 * @returns whether it is new. One that is older than a day counts as new.
 */
export async function claimMessage(
  tx: Db,
  { tenant_id, id }: Key,
  message_id: string,
): Promise<boolean> {
  const claimed = await tx`
    insert into hook_messages (tenant_id, trigger_id, message_id)
    values (${tenant_id}, ${id}, ${message_id})
    on conflict (trigger_id, message_id) do update
    set received_at = clock_timestamp(), run_id = null
    where hook_messages.received_at < clock_timestamp() - ${messageLife}::interval
    returning trigger_id
  `;
  return claimed.length > 0;
}

/** The run that a message of the last day has started. */
export async function findRunOfMessage(
  db: Db,
  { tenant_id, id }: Key,
  message_id: string,
): Promise<number | undefined> {
  const [row] = await db<{ run_id?: number }[]>`
    select run_id from hook_messages
    where tenant_id = ${tenant_id} and trigger_id = ${id} and message_id = ${message_id}
      and received_at >= clock_timestamp() - ${messageLife}::interval
  `;
  return row?.run_id;
}

export type NewDelivery = Pick<
  Delivery,
  'verdict' | 'status' | 'reason' | 'message_id' | 'size_bytes' | 'redelivery_of'
> & { run_id?: number; body?: Uint8Array | undefined };

/** A message has started a run: its firing, its delivery and its run, in one statement. */
export const noteStart = (
  tx: Db,
  { tenant_id, id }: Key,
  run_id: number,
  delivery: NewDelivery,
) => tx`
  with message as (
    update hook_messages set run_id = ${run_id}
    where tenant_id = ${tenant_id} and trigger_id = ${id}
      and message_id = ${delivery.message_id ?? null}
  ),
  firing as (
    insert into firings (tenant_id, trigger_id, source, tick_at, state, run_id)
    values (${tenant_id}, ${id}, 'message', clock_timestamp(), 'fired', ${run_id})
  )
  ${insertingDelivery(tx, { tenant_id, id }, { ...delivery, run_id })}
`;

const insertingDelivery = (db: Db, { tenant_id, id }: Key, delivery: NewDelivery) => db`
  insert into deliveries
    (tenant_id, trigger_id, verdict, status, message_id, reason, run_id, redelivery_of, size_bytes,
     body)
  values
    (${tenant_id}, ${id}, ${delivery.verdict}, ${delivery.status}, ${delivery.message_id ?? null},
     ${delivery.reason ?? null}, ${delivery.run_id ?? null}, ${delivery.redelivery_of ?? null},
     ${delivery.size_bytes}, ${delivery.body ?? null})
`;

/**
 * Of messages that start nothing, so many are kept of each verdict in an hour: who sends them can
 * send as many as they like. Whoever knows an address can send bad signatures.
 */
const mostPerHour = (verdict: Delivery['verdict']) => (verdict === 'bad_signature' ? 20 : 1000);
/** And so many of them with their bodies. */
const mostBodiesPerHour = 100;

/** Keeps a message that has started nothing, unless there were many of its kind lately. */
export const addDelivery = (db: Db, { tenant_id, id }: Key, delivery: NewDelivery) => db`
  insert into deliveries
    (tenant_id, trigger_id, verdict, status, message_id, reason, run_id, redelivery_of, size_bytes,
     body)
  select ${tenant_id}::bigint, ${id}::bigint, ${delivery.verdict}::text, ${delivery.status}::int,
    ${delivery.message_id ?? null}::text, ${delivery.reason ?? null}::text,
    ${delivery.run_id ?? null}::bigint, ${delivery.redelivery_of ?? null}::bigint,
    ${delivery.size_bytes}::int,
    case when lately.count < ${mostBodiesPerHour} then ${delivery.body ?? null}::bytea end
  from (
    select count(*) as count
    from (
      select received_at
      from deliveries
      where tenant_id = ${tenant_id} and ${ofVerdict(db, id, delivery.verdict)}
      order by trigger_id desc, verdict desc, id desc
      limit ${mostPerHour(delivery.verdict)}
    ) as latest
    where latest.received_at > clock_timestamp() - interval '1 hour'
  ) as lately
  where lately.count < ${mostPerHour(delivery.verdict)}
`;

const ofVerdict = (db: Db, id: number, verdict: Delivery['verdict']) =>
  db`${alongTrigger(db, id)} and verdict >= ${verdict} and verdict <= ${verdict}`;

const deliveryColumns = (db: Db) => db`
  id, verdict, status, message_id, reason, run_id as workflow_run_id, redelivery_of, size_bytes,
  body is not null as has_body, received_at
`;

export async function listDeliveryRows(
  db: Db,
  { tenant_id, id }: Key,
  verdict: Delivery['verdict'] | undefined,
  { after, offset, limit, with_total }: Page,
) {
  const [wanted, key, from] =
    verdict === undefined
      ? [alongTrigger(db, id), db`trigger_id`, db`${id}`]
      : [ofVerdict(db, id, verdict), db`trigger_id, verdict`, db`${id}, ${verdict}`];
  const matching = db`tenant_id = ${tenant_id} and ${wanted}`;
  const ordered = db`
    select ${deliveryColumns(db)}
    from deliveries
    where ${matching}
      ${after === undefined ? db`` : db`and (${key}, id) < (${from}, ${Number(after[0])})`}
    order by trigger_id desc, ${verdict === undefined ? db`` : db`verdict desc,`} id desc
  `;
  const rows = await db<Delivery[]>`${pageOf(db, { limit, offset }, ordered)}`;
  if (!with_total) return { rows };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total from deliveries where ${matching}
  `;
  return { rows, total: count?.total ?? 0 };
}

export type DeliveryRow = Omit<DeliveryWithBody, 'body'> & { body?: Uint8Array };

export async function findDelivery(db: Db, { tenant_id, id }: Key, deliveryId: number) {
  const [row] = await db<DeliveryRow[]>`
    select ${deliveryColumns(db)}, body
    from deliveries
    where tenant_id = ${tenant_id} and trigger_id = ${id} and id = ${deliveryId}
  `;
  return row;
}

/** Days for which bodies and deliveries are kept. */
const keptDays = { bodies: 7, deliveries: 90 };

/** @returns how many rows it worked on. */
export async function removeOldDeliveries(db: Db, limit: number): Promise<number> {
  const [removed] = await db<{ count: number }[]>`
    with messages as (
      delete from hook_messages
      where (trigger_id, message_id) in (
        select trigger_id, message_id from hook_messages
        where received_at < now() - ${messageLife}::interval
        order by received_at
        limit ${limit}
      )
        -- Unless the same message has just come again.
        and received_at < now() - ${messageLife}::interval
      returning 1
    ),
    emptied as (
      update deliveries set body = null
      where id in (
        select id from deliveries
        where body is not null and received_at < now() - ${keptDays.bodies} * interval '1 day'
        order by received_at
        limit ${limit}
      )
      returning 1
    ),
    old as (
      delete from deliveries
      where id in (
        select id from deliveries
        where received_at < now() - ${keptDays.deliveries} * interval '1 day'
        order by received_at
        limit ${limit}
      )
      returning 1
    )
    select greatest(
      (select count(*) from messages), (select count(*) from emptied), (select count(*) from old)
    ) as count
  `;
  return removed?.count ?? 0;
}
