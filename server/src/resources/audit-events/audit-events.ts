/** The audit trail: changes of rights, keys and secrets, and deletions. Append-only. */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { forbidden } from '../../errors.ts';
import type { Listed, Page } from '../../pages.ts';
import {
  type ActedEvent,
  addEvent,
  addEvents,
  countEvents,
  type EventFilters,
  findEvents,
  type NewEvent,
} from './queries.ts';
import type { AuditEvent } from './schema.ts';

/**
 * Records an event, in the transaction of its change. Without a `user_id` the system itself acted.
 * Never put a secret into `details`: events cannot be deleted.
 */
export async function recordEvent(
  tx: Db,
  actor: Pick<Caller, 'tenant_id'> & { user_id?: number },
  event: NewEvent,
): Promise<void> {
  await addEvent(tx, actor, event);
}

/** The same for many changes at once, in any number of tenants. */
export async function recordEvents(tx: Db, events: readonly ActedEvent[]): Promise<void> {
  if (events.length > 0) await addEvents(tx, events);
}

/** The tenant's events, newest first. @throws DomainError `forbidden` for a member. */
export async function listEvents(
  db: Db,
  caller: Caller,
  filters: EventFilters,
  page: Page,
): Promise<Listed<AuditEvent>> {
  if (caller.role !== 'admin')
    throw forbidden('Only admins of the tenant may read the audit trail.');
  const rows = await findEvents(db, caller.tenant_id, filters, page);
  if (!page.with_total) return { rows };
  return { rows, total: await countEvents(db, caller.tenant_id, filters) };
}
