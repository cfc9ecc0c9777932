/** SQL of the audit trail. */
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Page } from '../../pages.ts';
import type { AuditEvent } from './schema.ts';

export type NewEvent = {
  /** `<noun>.<what happened>`, for example `permission.granted`. */
  action: string;
  target_type: string;
  target_id?: number | string;
  details?: Readonly<Record<string, unknown>>;
};

export type EventFilters = { action?: string; target_type?: string; actor_id?: number };

export function addEvent(
  db: Db,
  { tenant_id, user_id }: { tenant_id: number; user_id?: number },
  { action, target_type, target_id, details = {} }: NewEvent,
) {
  const target = target_id === undefined ? null : String(target_id);
  return db`
    insert into audit_events (tenant_id, actor_id, action, target_type, target_id, details)
    values (
      ${tenant_id}, ${user_id ?? null}, ${action}, ${target_type}, ${target},
      ${db.json(details)}
    )
  `;
}

/** Without a `user_id` the system itself acted. */
export type ActedEvent = NewEvent & { tenant_id: number; user_id?: number };

export function addEvents(db: Db, events: readonly ActedEvent[]) {
  return db`
    insert into audit_events (tenant_id, actor_id, action, target_type, target_id, details)
    select tenant_id, user_id, action, target_type, target_id, coalesce(details, '{}')
    from jsonb_to_recordset(${db.json(events)}) as event (
      tenant_id bigint, user_id bigint, action text, target_type text, target_id text,
      details jsonb
    )
  `;
}

export function findEvents(db: Db, tenantId: number, filters: EventFilters, page: Page) {
  const ordered = db`
    select id, actor_id, action, target_type, target_id, details, created_at
    from audit_events
    where ${matching(db, tenantId, filters)}
      ${page.after ? db`and id < ${Number(page.after[0])}` : db``}
    order by id desc
  `;
  return db<AuditEvent[]>`${pageOf(db, page, ordered)}`;
}

export async function countEvents(db: Db, tenantId: number, filters: EventFilters) {
  const [row] = await db<{ count: number }[]>`
    select count(*) from audit_events where ${matching(db, tenantId, filters)}
  `;
  return row?.count ?? 0;
}

function matching(db: Db, tenantId: number, { action, target_type, actor_id }: EventFilters) {
  return db`
    tenant_id = ${tenantId}
    ${action === undefined ? db`` : db`and action = ${action}`}
    ${target_type === undefined ? db`` : db`and target_type = ${target_type}`}
    ${actor_id === undefined ? db`` : db`and actor_id = ${actor_id}`}
  `;
}
