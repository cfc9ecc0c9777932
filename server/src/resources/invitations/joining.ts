/** The moment in which somebody who was invited becomes a user of the tenant. */
import type { Db } from '../../db/connection.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { createUser, lockTenant, type UserRow } from '../users/users.ts';
import { inviterInWords } from './inviter.ts';
import { findInvitationsTo, findInvitationTo, lockOpen, markAccepted } from './queries.ts';
import type { InvitationTo } from './schema.ts';

type Newcomer = Partial<
  Pick<UserRow, 'issuer' | 'subject' | 'first_name' | 'last_name' | 'email_verified'>
>;

/**
 * Accepts one invitation, in the transaction of the caller. The seat was reserved when it was made,
 * so a limit that was lowered since keeps nobody out.
 *
 * @returns undefined if it is no longer open.
 * @throws DomainError 409 `email_taken`
 */
export async function join(
  tx: Db,
  { tenant_id, id }: { tenant_id: number; id: number },
  newcomer: Newcomer,
): Promise<UserRow | undefined> {
  await lockTenant(tx, tenant_id);
  const invitation = await lockOpen(tx, tenant_id, id);
  if (!invitation) return undefined;
  const { email, role } = invitation;
  // The tenant is set up already; what may be missing is a name.
  const onboarding_complete = Boolean(newcomer.first_name && newcomer.last_name);
  const user = await createUser(tx, { ...newcomer, tenant_id, email, role, onboarding_complete });
  await markAccepted(tx, tenant_id, id, user.id);
  await recordEvent(
    tx,
    { tenant_id, user_id: user.id },
    {
      action: 'invitation.accepted',
      target_type: 'invitation',
      target_id: id,
      details: { user_id: user.id, email, role },
    },
  );
  return user;
}

/**
 * What a newcomer may be asked about.
 *
 * @param email an address that the provider has verified.
 * @param opened the invitation whose link they have opened, which comes first. Anybody may invite
 *   them, more often than a page can show.
 */
export async function invitationsTo(
  db: Db,
  email: string,
  opened?: number,
): Promise<InvitationTo[]> {
  const rows = await findInvitationsTo(db, email, opened);
  return rows.map(({ id, tenant_id, organization, role, ...inviter }) => ({
    ...{ id, tenant_id, organization, role },
    by: inviterInWords(inviter),
  }));
}

/** The one that they have chosen. */
export const invitationTo = (
  db: Db,
  email: string,
  id: number,
): Promise<Pick<InvitationTo, 'id' | 'tenant_id'> | undefined> => findInvitationTo(db, email, id);
