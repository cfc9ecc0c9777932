/** The audit trail: changes of rights, keys and secrets, and deletions. Append-only. */

import { hash } from 'node:crypto';
import type { Actor, Caller } from '../../callers.ts';
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
  findEventsToExport,
  type NewEvent,
} from './queries.ts';
import type { AuditEvent } from './schema.ts';

/**
 * Records an event, in the transaction of its change. Without a `user_id` the system itself acted.
 * Never put a secret into `details`: events cannot be deleted.
 */
export async function recordEvent(tx: Db, actor: Actor, event: NewEvent): Promise<void> {
  await addEvent(tx, actor, event);
}

/** The same for many changes at once, in any number of tenants. */
export async function recordEvents(tx: Db, events: readonly ActedEvent[]): Promise<void> {
  if (events.length > 0) await addEvents(tx, events);
}

/** What one reading is about: pages after the first belong to it, as long as it is the same. */
export const readingOf = ({ tenant_id, user_id }: Caller, filters: EventFilters): string =>
  hash('sha256', JSON.stringify([tenant_id, user_id, filters]), 'base64url');

/**
 * The tenant's events, newest first. Reading them is an event as well; the pages after the first are
 * the same reading.
 *
 * @param page its keys: the id of an event, and the reading that it was found by.
 *
 * @throws DomainError `forbidden` for a member.
 */
export async function listEvents(
  db: Db,
  caller: Caller,
  given: EventFilters,
  page: Page,
): Promise<Listed<AuditEvent>> {
  requireAdmin(caller);
  const filters = inUtc(given);
  const rows = await findEvents(db, caller.tenant_id, filters, page);
  const total = page.with_total ? await countEvents(db, caller.tenant_id, filters) : undefined;
  if (page.after?.[1] !== readingOf(caller, given))
    await recordReading(db, caller, 'read', filters);
  return { rows, ...(total !== undefined && { total }) };
}

const portion = 1000;

/**
 * All events that match, in portions, newest first. What happens meanwhile is not among them.
 *
 * @param inTurn runs the query of a portion when it is its turn: the reader may be slow.
 * @param callerNow checks the credentials again: a slow reader may be disabled meanwhile.
 * @throws DomainError `forbidden` for a member, before the first portion or a later one.
 */
export async function exportEvents(
  db: Db,
  caller: Caller,
  given: EventFilters,
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>,
  callerNow: () => Promise<Caller>,
): Promise<AsyncGenerator<ExportedEvent[]>> {
  requireAdmin(caller);
  const filters = inUtc(given);
  const next = (before?: number) =>
    inTurn(() => findEventsToExport(db, caller.tenant_id, filters, before, portion));
  const first = await next();
  await recordReading(db, caller, 'exported', filters);
  return (async function* () {
    for (let rows = first; rows.length > 0; ) {
      yield rows;
      const last = rows.at(-1);
      if (rows.length < portion || !last) return;
      requireAdmin(await callerNow());
      rows = await next(last.id);
    }
  })();
}

export type ExportedEvent = AuditEvent & { actor_email?: string };

/** @throws DomainError `forbidden` for a member. */
export function requireAdmin({ role }: Caller) {
  if (role !== 'admin') throw forbidden('Only administrators may read the audit log.');
}

/** PostgreSQL does not accept offsets of 16 hours or more, which RFC 3339 allows. */
const inUtc = ({ from, to, ...filters }: EventFilters): EventFilters => ({
  ...filters,
  ...(from !== undefined && { from: new Date(from).toISOString() }),
  ...(to !== undefined && { to: new Date(to).toISOString() }),
});

const recordReading = (db: Db, caller: Caller, what: 'read' | 'exported', filters: EventFilters) =>
  recordEvent(db, caller, {
    action: `audit_events.${what}`,
    target_type: 'audit_events',
    details: { ...filters },
  });
