/** The users of a tenant as other members see them, and what admins may change. */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { conflict, forbidden, notFound } from '../../errors.ts';
import type { Listed, Page } from '../../pages.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { endSessionsOf } from '../auth/provider/store.ts';
import { endUploadsOf } from '../cogs/large-uploads/expiry.ts';
import { resumeTriggersOf } from '../triggers/triggers.ts';
import {
  countUsersOf,
  findUser,
  findUsersOf,
  hasOtherAdmin,
  lockTenant,
  updateUser,
} from './queries.ts';
import type { User, UserChanges } from './schema.ts';

export async function listUsers(
  db: Db,
  { tenant_id }: Caller,
  q: string,
  page: Page,
): Promise<Listed<User>> {
  const rows = await findUsersOf(db, tenant_id, q, page);
  return page.with_total ? { rows, total: await countUsersOf(db, tenant_id, q) } : { rows };
}

/** @throws DomainError 403 for members, 409 `last_admin` if no admin would be left. */
export function changeUser(
  db: Db,
  caller: Caller,
  id: number,
  changes: UserChanges,
): Promise<User> {
  return db.transaction(async (tx) => {
    // Without the lock, two admins who demote each other would both see the other as an admin.
    await lockTenant(tx, caller.tenant_id);
    const user = await findUser(tx, caller.tenant_id, id);
    if (!user) throw notFound('User');
    if (caller.role !== 'admin') throw forbidden('Only administrators may change users.');

    const { role = user.role, status = user.status } = changes;
    const isInCharge = role === 'admin' && status === 'active';
    if (!isInCharge && !(await hasOtherAdmin(tx, caller.tenant_id, id))) {
      throw conflict(
        'last_admin',
        'This is the last active administrator. Make somebody else one first.',
      );
    }
    const changed = await updateUser(tx, caller.tenant_id, id, { role, status });
    if (!changed) throw notFound('User');
    if (status === 'disabled') {
      await endSessionsOf(tx, user.subject);
      await endUploadsOf(tx, { tenant_id: caller.tenant_id, user_id: id });
    } else await resumeTriggersOf(tx, caller.tenant_id, id);
    if (role !== user.role || status !== user.status) {
      await recordEvent(tx, caller, {
        action: 'user.changed',
        target_type: 'user',
        target_id: id,
        details: { role, status },
      });
    }
    return changed;
  });
}
