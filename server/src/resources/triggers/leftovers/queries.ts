/** SQL of what deleted triggers leave. */
import type { Db } from '../../../db/connection.ts';
import type { TriggerKey } from '../queries.ts';

/** Whoever still decided about the trigger as it was deleted has ended by then. */
const restMinutes = 10;

/** Locks a trigger that was deleted some time ago and may have left something. */
export async function lockDeleted(tx: Db): Promise<TriggerKey | undefined> {
  const [trigger] = await tx<TriggerKey[]>`
    select id, tenant_id
    from deleted_triggers
    where deleted_at < now() - ${restMinutes} * interval '1 minute'
    order by id
    limit 1
    for update skip locked
  `;
  return trigger;
}

type Table = 'firings' | 'deliveries' | 'trigger_files';

/** Removes up to `limit` rows. @returns how many. */
export async function removeRows(
  tx: Db,
  table: Table,
  { tenant_id, id }: TriggerKey,
  limit: number,
): Promise<number> {
  const from = {
    firings: tx`firings`,
    deliveries: tx`deliveries`,
    trigger_files: tx`trigger_files`,
  }[table];
  const removed = await tx`
    delete from ${from}
    where ctid = any(array(
      select ctid from ${from}
      where tenant_id = ${tenant_id} and trigger_id = ${id}
      limit ${limit}
    ))
  `;
  return removed.count;
}

export const forgetDeleted = (tx: Db, { tenant_id, id }: TriggerKey) =>
  tx`delete from deleted_triggers where tenant_id = ${tenant_id} and id = ${id}`;
