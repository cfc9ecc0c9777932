/** Accounts that an operator creates for other users, for the embedded or an external provider. */

import { randomUUID } from 'node:crypto';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/connection.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { revokeInvitationsTo } from '../invitations/voiding.ts';
import { requireSeat } from '../users/seats.ts';
import { createUser, lockTenant, type UserRow } from '../users/users.ts';
import { awaitedSubject } from './newcomers.ts';
import { newOneTimePassword, setPassword } from './passwords.ts';
import { endSessionsOf } from './provider/store.ts';

export type NewAccount = {
  tenant_id: number;
  email: string;
  role: 'admin' | 'member';
  is_platform_admin?: boolean;
};

/**
 * Adds a user who can sign in: with a one-time password at the embedded provider, or at the
 * external one by their verified address, with the password they have there.
 *
 * @throws DomainError 409 `email_taken`, 403 `quota_exceeded` without a seat.
 */
export async function openAccount(
  db: Db,
  config: Config,
  account: NewAccount,
): Promise<{ user: UserRow; password?: string }> {
  return db.transaction(async (tx) => {
    await lockTenant(tx, account.tenant_id);
    await revokeInvitationsTo(tx, account.tenant_id, account.email);
    await requireSeat(tx, account.tenant_id);
    const user = await createUser(tx, {
      ...account,
      email_verified: true,
      ...(config.oidc ? { issuer: config.oidc.issuer, subject: awaitedSubject(randomUUID()) } : {}),
    });
    await recordEvent(tx, account, {
      action: 'user.created',
      target_type: 'user',
      target_id: user.id,
      details: { role: account.role },
    });
    return config.oidc ? { user } : { user, password: await giveOneTimePassword(tx, user) };
  });
}

/** Replaces a password by a one-time one and ends all sessions that used it. */
export async function giveOneTimePassword(db: Db, user: UserRow): Promise<string> {
  const password = newOneTimePassword();
  await setPassword(db, user.id, password, { must_change: true });
  await endSessionsOf(db, user.subject);
  return password;
}
