/** SQL of the audit trail. */
import type { Actor } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Page } from '../../pages.ts';
import { type AuditEvent, failures } from './schema.ts';

export type NewEvent = {
  /** `<noun>.<what happened>`, for example `permission.granted`. */
  action: string;
  target_type: string;
  target_id?: number | string;
  details?: Readonly<Record<string, unknown>>;
};

export type EventFilters = {
  /** How it begins. */
  action?: string;
  actor_id?: number;
  /** Who did it, or to whom it was done. */
  user_id?: number;
  outcome?: 'done' | 'failed';
  target_type?: string;
  target_id?: string;
  /** In UTC; `to` is not included. */
  from?: string;
  to?: string;
};

export function addEvent(
  db: Db,
  { tenant_id, user_id, key_id, request_id }: Actor,
  { action, target_type, target_id, details = {} }: NewEvent,
) {
  const target = target_id === undefined ? null : String(target_id);
  return db`
    insert into audit_events
      (tenant_id, actor_id, key_id, request_id, action, target_type, target_id, details)
    values (
      ${tenant_id}, ${user_id ?? null}, ${key_id ?? null}, ${request_id ?? null}, ${action},
      ${target_type}, ${target}, ${db.json(details)}
    )
  `;
}

/** Without a `user_id` the system itself acted. */
export type ActedEvent = NewEvent & Actor;

export function addEvents(db: Db, events: readonly ActedEvent[]) {
  return db`
    insert into audit_events
      (tenant_id, actor_id, key_id, request_id, action, target_type, target_id, details)
    select tenant_id, user_id, key_id, request_id, action, target_type, target_id,
           coalesce(details, '{}')
    from jsonb_to_recordset(${db.json(events)}) as event (
      tenant_id bigint, user_id bigint, key_id bigint, request_id uuid, action text,
      target_type text, target_id text, details jsonb
    )
  `;
}

const columns = (db: Db) => db`
  id, actor_id, key_id, request_id, action, target_type, target_id, details, created_at
`;

export function findEvents(
  db: Db,
  tenantId: number,
  filters: EventFilters,
  { limit, offset, after }: Page,
) {
  const before = after && Number(after[0]);
  return db<AuditEvent[]>`
    select found.*, ${targetName(db, tenantId)} as target_name
    from (
      select *
      from (${newest(db, tenantId, filters, before, limit + offset)}) as event
      order by created_at desc, id desc
      limit ${limit} offset ${offset}
    ) as found
    order by found.created_at desc, found.id desc
  `;
}

/** What the target of a \`found\` event is called now. */
const targetName = (db: Db, tenantId: number) => {
  const isIt = () => db`
    tenant_id = ${tenantId} and id = substring(found.target_id from '^[0-9]{1,18}$')::bigint
  `;
  const named = (table: ReturnType<Db>) => db`(select name from ${table} where ${isIt()})`;
  return db`
    case found.target_type
      when 'cog' then ${named(db`cogs`)}
      when 'workflow' then ${named(db`workflows`)}
      when 'workflow_template' then ${named(db`workflow_templates`)}
      when 'trigger' then ${named(db`triggers`)}
      when 'notice' then ${named(db`notices`)}
      when 'secret' then ${named(db`secrets`)}
      when 'worker' then ${named(db`workers`)}
      when 'api_key' then (select description from api_keys where ${isIt()})
      when 'tenant' then (
        select name from tenants where id = substring(found.target_id from '^[0-9]{1,18}$')::bigint
      )
      when 'invitation' then (select email from invitations where ${isIt()})
    end
  `;
};

export async function countEvents(db: Db, tenantId: number, filters: EventFilters) {
  const [row] = await db<{ count: number }[]>`
    select count(*) from audit_events where ${matching(db, tenantId, filters)}
  `;
  return row?.count ?? 0;
}

/** The next events after `before`, newest first, with the addresses of who did it. */
export const findEventsToExport = (
  db: Db,
  tenantId: number,
  filters: EventFilters,
  before: number | undefined,
  limit: number,
) => db<(AuditEvent & { actor_email?: string })[]>`
  select event.*, users.email as actor_email
  from (
    select *
    from (${newest(db, tenantId, filters, before, limit)}) as event
    order by created_at desc, id desc
    limit ${limit}
  ) as event
  left join users on users.tenant_id = ${tenantId} and users.id = event.actor_id
  order by event.created_at desc, event.id desc
`;

/**
 * The newest that match, and some more: each list of them is read along an index that has its
 * order, until there are enough. By an action's beginning, or by who did it, there is a list for
 * each action: to go through all events for the few of an action takes long, and so does sorting
 * the many of another. What is asked of actions is asked of their names alone: of the events of a
 * list as well, the planner expected few to be left, and read all of the table instead.
 *
 * @param before the id of the event that they follow.
 */
function newest(
  db: Db,
  tenantId: number,
  filters: EventFilters,
  before: number | undefined,
  limit: number,
): ReturnType<Db> {
  const { user_id, actor_id, ...others } = filters;
  const after = before === undefined ? db`` : db`and ${isBefore(db, tenantId, before)}`;
  const first = (which: ReturnType<Db>) =>
    pageOf(
      db,
      { limit, offset: 0 },
      db`
      select ${columns(db)}
      from audit_events
      where ${which} ${after}
      order by ${actor_id === undefined ? db`` : db`actor_id,`} created_at desc, id desc
    `,
    );
  if (user_id !== undefined && actor_id === undefined) {
    const did = newest(db, tenantId, { ...others, actor_id: user_id }, before, limit);
    const suffered = first(db`
      ${matching(db, tenantId, others)} and target_type = 'user' and target_id = ${String(user_id)}
      and actor_id is distinct from ${user_id}
    `);
    return db`select * from (${did}) as did union all select * from (${suffered}) as suffered`;
  }
  const { action, outcome, ...alongside } = filters;
  const { target_id } = alongside;
  const isByAction = actor_id !== undefined || action !== undefined || outcome === 'failed';
  if (!isByAction || target_id !== undefined) return first(matching(db, tenantId, filters));
  return db`
    select event.*
    from (${actionsOf(db, tenantId, actor_id, action)}) as named
    cross join lateral (
      ${first(db`${matching(db, tenantId, alongside)} and ${actionText(db)} = named.action`)}
    ) as event
    ${outcome === undefined ? db`` : db`where ${isOf(db, outcome, db`named.action`)}`}
  `;
}

const isOf = (db: Db, outcome: 'done' | 'failed', action: ReturnType<Db>) =>
  outcome === 'failed' ? db`${action} = any(${failures})` : db`${action} <> all(${failures})`;

/** As the indexes have it: in the order of its bytes, actions that begin alike are neighbours. */
const actionText = (db: Db) => db`action collate "C"`;

/** All actions that begin so, of anybody or of one; from each, the index leads to the next one. */
function actionsOf(db: Db, tenantId: number, actorId: number | undefined, action = '') {
  const next = (which: ReturnType<Db>) => db`
    select ${actionText(db)} as action
    from audit_events
    where tenant_id = ${tenantId} ${actorId === undefined ? db`` : db`and ${alongActor(db, actorId)}`}
      and ${actionText(db)} ${which}
    order by ${actorId === undefined ? db`` : db`actor_id,`} ${actionText(db)}
    limit 1
  `;
  return db`
    with recursive known as (
      (${next(db`>= ${action}`)})
      union all
      select (${next(db`> known.action`)})
      from known
      where starts_with(known.action, ${action})
    )
    select action from known where starts_with(action, ${action})
  `;
}

/**
 * A range of one value, with an order that begins with it, names the index to read along: where
 * few people do nearly everything, the planner took that of the actions for anybody.
 */
const alongActor = (db: Db, id: number) => db`actor_id >= ${id} and actor_id <= ${id}`;

const isBefore = (db: Db, tenantId: number, id: number) => db`
  (created_at, id) < (
    select created_at, id from audit_events where tenant_id = ${tenantId} and id = ${id}
  )
`;

function matching(db: Db, tenantId: number, filters: EventFilters) {
  const { action, actor_id, user_id, outcome, target_type, target_id, from, to } = filters;
  return db`
    tenant_id = ${tenantId}
    ${action === undefined ? db`` : db`and starts_with(action, ${action})`}
    ${outcome === undefined ? db`` : db`and ${isOf(db, outcome, db`action`)}`}
    ${target_type === undefined ? db`` : db`and target_type = ${target_type}`}
    ${target_id === undefined ? db`` : db`and target_id = ${target_id}`}
    ${actor_id === undefined ? db`` : db`and ${alongActor(db, actor_id)}`}
    ${
      user_id === undefined
        ? db``
        : db`and (actor_id = ${user_id} or (target_type = 'user' and target_id = ${String(user_id)}))`
    }
    ${from === undefined ? db`` : db`and created_at >= ${from}`}
    ${to === undefined ? db`` : db`and created_at < ${to}`}
  `;
}
