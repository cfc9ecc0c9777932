/** SQL of notices and of their secrets. */
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Tag } from '../../db/statement.ts';
import type { Page } from '../../pages.ts';
import type { Notice } from './schema.ts';

/** A notice as it is stored. */
export type NoticeRow = Notice & { tenant_id: number };

export type NoticeKey = Pick<NoticeRow, 'tenant_id' | 'id'>;

const columns = (db: Tag) => db`
  id, tenant_id, name, url, by_mail, events, workflow_id, enabled, off_reason, failing_since, quiet_until,
  created_by, created_at, updated_at
`;

type Optional<Names extends keyof Notice> = { [Name in Names]: Notice[Name] | undefined };

/** Without a URL it is sent by mail. */
export type NewNoticeRow = Pick<NoticeRow, 'tenant_id' | 'events' | 'enabled' | 'created_by'> &
  Optional<'name' | 'url' | 'workflow_id'>;

/** What may change. */
export type StoredNotice = NoticeKey &
  Pick<NoticeRow, 'events' | 'enabled'> &
  Optional<'name' | 'url' | 'workflow_id' | 'off_reason' | 'failing_since' | 'quiet_until'>;

/** @returns undefined if the tenant has as many as it may. */
export async function addNotice(
  db: Db,
  notice: NewNoticeRow,
  most: number,
): Promise<NoticeRow | undefined> {
  const [row] = await db<NoticeRow[]>`
    insert into notices (tenant_id, name, url, events, workflow_id, enabled, created_by)
    select ${notice.tenant_id}::bigint, ${notice.name ?? null}::text, ${notice.url ?? null}::text,
           ${notice.events}::text[], ${notice.workflow_id ?? null}::bigint,
           ${notice.enabled}::boolean, ${notice.created_by}::bigint
    where ${most} > (select count(*) from notices where tenant_id = ${notice.tenant_id})
    returning ${columns(db)}
  `;
  return row;
}

export async function listNoticeRows(
  db: Db,
  tenantId: number,
  workflowId: number | undefined,
  { after, offset, limit, with_total }: Page,
) {
  const matching = db`
    tenant_id = ${tenantId}
    ${workflowId === undefined ? db`` : db`and workflow_id = ${workflowId}`}
  `;
  const ordered = db`
    select ${columns(db)}
    from notices
    where ${matching} and id > ${after?.[0] ?? 0}
    order by id
  `;
  const rows = await db<NoticeRow[]>`${pageOf(db, { limit, offset }, ordered)}`;
  if (!with_total) return { rows };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total from notices where ${matching}
  `;
  return { rows, total: count?.total ?? 0 };
}

export async function findNotice(db: Db, tenantId: number, id: number) {
  const [row] = await db<NoticeRow[]>`
    select ${columns(db)} from notices where tenant_id = ${tenantId} and id = ${id}
  `;
  return row;
}

/** Locks it for a change. */
export async function lockNotice(tx: Db, tenantId: number, id: number) {
  const [row] = await tx<NoticeRow[]>`
    select ${columns(tx)} from notices where tenant_id = ${tenantId} and id = ${id}
    for no key update
  `;
  return row;
}

export async function updateNotice(tx: Db, notice: StoredNotice): Promise<NoticeRow> {
  const [row] = await tx<NoticeRow[]>`
    update notices
    set name = ${notice.name ?? null}, url = ${notice.url ?? null}, events = ${notice.events},
        workflow_id = ${notice.workflow_id ?? null}, enabled = ${notice.enabled},
        off_reason = ${notice.off_reason ?? null}, failing_since = ${notice.failing_since ?? null},
        quiet_until = ${notice.quiet_until ?? null}, updated_at = now()
    where tenant_id = ${notice.tenant_id} and id = ${notice.id}
    returning ${columns(tx)}
  `;
  return row as NoticeRow;
}

/** Without its deliveries, which have no foreign key. */
export const removeNotice = (tx: Db, { tenant_id, id }: NoticeKey) => tx`
  delete from notices where tenant_id = ${tenant_id} and id = ${id}
`;

/** Not of those by mail: they are for the user, and nobody asked the other one. */
export const setNoticeMaker = (
  tx: Db,
  { tenant_id, from, to }: { tenant_id: number; from: number; to: number },
) => tx<{ id: number }[]>`
  update notices set created_by = ${to}, updated_at = now()
  where tenant_id = ${tenant_id} and created_by = ${from} and not by_mail
  returning id
`;

/** What failed before the user was disabled does not count after that. */
export const forgetFailuresOf = (tx: Db, tenantId: number, userId: number) => tx`
  update notices set failing_since = null
  where tenant_id = ${tenantId} and created_by = ${userId} and failing_since is not null
`;

/** Where the secrets of a notice are. */
export const secretRows = (db: Tag, { tenant_id, id }: NoticeKey) => ({
  ...{ table: db`notice_secrets`, hook_id: db`notice_id` },
  ...{ tenant_id, id },
});
