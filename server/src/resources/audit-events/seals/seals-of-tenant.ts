/** What admins of a tenant see of the seals of its events. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Services } from '../../../services.ts';
import { recordEvent, requireAdmin } from '../audit-events.ts';
import type { AuditVerification } from './schema.ts';
import { sealingKey } from './sealing.ts';
import { headOf, type InTurn, verifyEvents } from './verifying.ts';

/** @throws DomainError `forbidden` for a member. */
export async function showHead(db: Db, caller: Caller) {
  requireAdmin(caller);
  return headOf(db, caller.tenant_id);
}

/** Doing so is an event as well. @throws DomainError `forbidden` for a member. */
export async function checkEvents(
  { db, keys }: Pick<Services, 'db' | 'keys'>,
  caller: Caller,
  kept: string | undefined,
  inTurn: InTurn,
): Promise<AuditVerification> {
  requireAdmin(caller);
  const found = await verifyEvents(db, sealingKey(keys), caller.tenant_id, kept, inTurn);
  const { is_intact, blocks } = found;
  await recordEvent(db, caller, {
    action: 'audit_events.verified',
    target_type: 'audit_events',
    details: { is_intact, blocks },
  });
  return found;
}
