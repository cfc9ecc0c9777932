/**
 * Somebody stays in charge: no tenant loses its last active admin, and no installation its last
 * active platform admin, on whatever path.
 */
import type { Db } from '../../db/connection.ts';
import { conflict } from '../../errors.ts';
import { findOthersInCharge, lockPlatformAdmins, type UserRow } from './queries.ts';

type After = Pick<UserRow, 'role' | 'status'>;

/**
 * Checks a change of a user, in a transaction that has locked the tenant: otherwise two admins who
 * demote each other would both see the other as an admin.
 *
 * @throws DomainError 409 `last_admin`, `last_platform_admin`
 */
export async function keepSomebodyInCharge(tx: Db, user: UserRow, after: After): Promise<void> {
  const staysAdmin = after.role === 'admin' && after.status === 'active';
  const staysPlatformAdmin = !user.is_platform_admin || after.status === 'active';
  if (staysAdmin && staysPlatformAdmin) return;
  // Platform admins are in several tenants, which have locks of their own.
  if (!staysPlatformAdmin) await lockPlatformAdmins(tx);
  const others = await findOthersInCharge(tx, user);
  if (!staysAdmin && !others.admin) {
    throw conflict(
      'last_admin',
      'This is the last active administrator. Make somebody else one first.',
    );
  }
  if (!staysPlatformAdmin && !others.platform_admin) {
    throw conflict(
      'last_platform_admin',
      'This is the last active administrator of the platform. Make somebody else one first.',
    );
  }
}
