/** Whether somebody is still an administrator when their request gets its turn. */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { forbidden } from '../../errors.ts';
import { findUser } from './queries.ts';

/**
 * Checks that the caller is an active admin, in a transaction that has locked the tenant: they may
 * have been demoted or disabled while the request waited for the lock.
 *
 * @param message why others are refused.
 * @throws DomainError 403
 */
export async function requireActiveAdmin(tx: Db, caller: Caller, message: string): Promise<void> {
  const isAdmin = caller.role === 'admin';
  const user = isAdmin ? await findUser(tx, caller.tenant_id, caller.user_id) : undefined;
  if (user?.role !== 'admin' || user.status !== 'active') throw forbidden(message);
}
