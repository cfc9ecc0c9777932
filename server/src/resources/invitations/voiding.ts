/** Ends invitations that others than their makers have overtaken. */
import { actorOf, type Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { recordEvents } from '../audit-events/audit-events.ts';
import { endInvitations } from './queries.ts';

/** Ends those of somebody who may no longer invite, by a change of the caller's. The tenant is locked. */
export async function voidInvitationsBy(tx: Db, caller: Caller, inviterId: number): Promise<void> {
  const voided = await endInvitations(tx, caller.tenant_id, { invited_by: inviterId }, 'voided');
  await recordEvents(
    tx,
    voided.map(({ id, email }) => ({
      ...actorOf(caller),
      action: 'invitation.voided',
      target_type: 'invitation',
      target_id: id,
      details: { email, invited_by: inviterId },
    })),
  );
}

/** Ends one to an address that an operator makes a user of the tenant. The tenant is locked. */
export async function revokeInvitationsTo(tx: Db, tenant_id: number, email: string): Promise<void> {
  const revoked = await endInvitations(tx, tenant_id, { email }, 'revoked');
  await recordEvents(
    tx,
    revoked.map(({ id, email }) => ({
      ...{ tenant_id, action: 'invitation.revoked', target_type: 'invitation', target_id: id },
      details: { email },
    })),
  );
}
