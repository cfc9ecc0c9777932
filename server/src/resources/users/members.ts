/** The users of a tenant as other members see them, and what admins may change. */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { plannedAnew } from '../../db/planned-anew.ts';
import { badField, conflict, forbidden, notFound } from '../../errors.ts';
import type { Listed, Page } from '../../pages.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { forgetPassword } from '../auth/passwords.ts';
import { voidInvitationsBy } from '../invitations/voiding.ts';
import { resumeNoticesOf } from '../notices/notices.ts';
import { resumeTriggersOf } from '../triggers/triggers.ts';
import { requireActiveAdmin } from './admins.ts';
import { handOver, stopUser } from './disabling.ts';
import { keepSomebodyInCharge } from './in-charge.ts';
import {
  countUsersOf,
  eraseUser,
  findUser,
  findUsersOf,
  lockTenant,
  type UserFilter,
  type UserRow,
  updateUser,
} from './queries.ts';
import type { User, UserChanges } from './schema.ts';
import { requireSeat } from './seats.ts';

/** When they were active last is for admins to see. */
export async function listUsers(
  db: Db,
  { tenant_id, role }: Caller,
  filter: UserFilter,
  page: Page,
): Promise<Listed<User>> {
  const has_activity = role === 'admin';
  const list = async (by: Db) => {
    const rows = await findUsersOf(by, tenant_id, { ...filter, has_activity }, page);
    return page.with_total ? { rows, total: await countUsersOf(by, tenant_id, filter) } : { rows };
  };
  return filter.q === '' ? list(db) : plannedAnew(db, list);
}

/**
 * Changes a user's role, or disables or enables them. Somebody else may take over what a disabled
 * one owns, also later.
 *
 * @throws DomainError 403 for members, and `quota_exceeded` if there is no seat for one who is
 *   enabled; 409 `last_admin`, `last_platform_admin`; 404 for the successor.
 */
export function changeUser(
  db: Db,
  caller: Caller,
  id: number,
  changes: UserChanges,
): Promise<User> {
  return db.transaction(async (tx) => {
    await lockTenant(tx, caller.tenant_id);
    const user = await requireUser(tx, caller, id);
    await requireActiveAdmin(tx, caller, forAdmins);
    return change(tx, caller, user, changes);
  });
}

/**
 * Removes a disabled user for good: their address can be invited again, here and elsewhere. What they
 * own and did stays, with their name.
 *
 * @throws DomainError 403 for members, 409 `not_disabled`.
 */
export function removeUser(db: Db, caller: Caller, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    const { tenant_id } = caller;
    await lockTenant(tx, tenant_id);
    const { status, email } = await requireUser(tx, caller, id);
    await requireActiveAdmin(tx, caller, forAdmins);
    if (status !== 'disabled') {
      throw conflict('not_disabled', 'Only somebody who is disabled can be removed.');
    }
    await eraseUser(tx, tenant_id, id);
    await forgetPassword(tx, id);
    await recordEvent(tx, caller, {
      action: 'user.removed',
      target_type: 'user',
      target_id: id,
      details: { email },
    });
  });
}

const forAdmins = 'Only administrators may change users.';

async function requireUser(tx: Db, { tenant_id }: Caller, id: number): Promise<UserRow> {
  const user = await findUser(tx, tenant_id, id);
  if (!user || user.removed_at !== undefined) throw notFound('User');
  return user;
}

/**
 * Disables the caller's own account. Only an admin of the tenant can enable it again.
 *
 * @throws DomainError 403 for API keys; 409 `last_admin`, `last_platform_admin`.
 */
export function leaveTenant(db: Db, caller: Caller): Promise<void> {
  if (caller.key_id !== undefined) throw forbidden('An API key cannot leave for you; sign in.');
  return db.transaction(async (tx) => {
    await lockTenant(tx, caller.tenant_id);
    const user = await findUser(tx, caller.tenant_id, caller.user_id);
    if (!user) throw notFound('User');
    await change(tx, caller, user, { status: 'disabled' });
  });
}

/** In a transaction that has locked the tenant. */
async function change(
  tx: Db,
  caller: Caller,
  user: UserRow,
  { role = user.role, status = user.status, successor_id }: UserChanges,
): Promise<User> {
  const { tenant_id, id } = user;
  await keepSomebodyInCharge(tx, user, { role, status });
  if (status === 'active' && user.status === 'disabled') await requireSeat(tx, tenant_id);
  const changed = await updateUser(tx, tenant_id, id, { role, status });
  if (!changed) throw notFound('User');
  if (successor_id !== undefined && status === 'active') {
    throw badField('successor_id', 'Only somebody who is disabled has a successor.');
  }
  if (status === 'disabled') await stopUser(tx, user);
  else if (user.status === 'disabled') {
    await resumeTriggersOf(tx, tenant_id, id);
    await resumeNoticesOf(tx, tenant_id, id);
  }
  // Nobody comes in by the word of somebody who may no longer invite.
  if (status === 'disabled' || role === 'member') await voidInvitationsBy(tx, caller, id);
  if (role !== user.role || status !== user.status) {
    await recordEvent(tx, caller, {
      action: 'user.changed',
      target_type: 'user',
      target_id: id,
      details: { role, status, before: { role: user.role, status: user.status } },
    });
  }
  if (successor_id !== undefined) await handOver(tx, caller, user, successor_id);
  return changed;
}
