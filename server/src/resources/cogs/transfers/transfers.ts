/**
 * Handing a cog over to another owner. Whose it is and what they may do are two things: `owner_id`
 * says in whose trash it lands and who may hand it over; grants say the rest, and stay.
 */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { conflict, forbidden, notFound } from '../../../errors.ts';
import { recordEvent } from '../../audit-events/audit-events.ts';
import { lockTree, reach, requireAccess } from '../../permissions/access.ts';
import { findRightfulOwner } from '../../permissions/cog-grants.ts';
import { makeOwner } from '../../permissions/permissions.ts';
import { findUser } from '../../users/users.ts';
import { findShown, rootFolder } from '../cogs.ts';
import { requireMayHandOverIn, requireNoPurpose } from '../places/outputs-root.ts';
import { lockCogs } from '../queries.ts';
import type { NewOwner, RestoredCog } from '../schema.ts';
import { setOwner, takeOverBelow } from './queries.ts';

/** Files and folders in a folder that is handed over with its contents. */
const mostBelow = 10_000;

/**
 * Makes another user the owner of a cog, and with `recursive` of all below it that has the same
 * owner.
 *
 * @returns the cog, without `access` if the caller has none any more.
 * @throws DomainError `forbidden` except for its owner and admins; 404 for the user; 409
 *   `root_folder`, `shared_folder`, `last_owner`, `too_many_items`; 422 for a right that ends.
 */
export function transferCog(
  db: Db,
  caller: Caller,
  id: number,
  { user_id, keep_access, recursive = false }: NewOwner,
): Promise<RestoredCog> {
  const { tenant_id } = caller;
  return db.transaction(async (tx) => {
    await lockTree(tx, tenant_id, 'add');
    await lockCogs(tx, tenant_id, [id]);
    const cog = await requireAccess(tx, caller, id, 'view');
    if (cog.cog_type === 'master_folder') throw rootFolder('handed over');
    requireNoPurpose(cog);
    const mayHandOver =
      caller.role === 'admin' ||
      (cog.access.level === 'owner' &&
        (await findRightfulOwner(tx, caller, cog)) === caller.user_id);
    if (!mayHandOver) throw forbidden('Only its owner and administrators may hand it over.');
    const [folder] = await reach(tx, caller, cog.parent_id === undefined ? [] : [cog.parent_id]);
    requireMayHandOverIn(folder, caller);
    const user = await findUser(tx, tenant_id, user_id);
    if (user?.status !== 'active') throw notFound('User');

    const from = cog.owner_id;
    const other = keep_access !== undefined &&
      from !== user_id && {
        user_id: from,
        level: keep_access === 'none' ? undefined : keep_access,
      };
    await makeOwner(tx, caller, cog, user_id, other || undefined);
    await setOwner(tx, tenant_id, id, user_id);
    const count =
      recursive && from !== user_id
        ? await takeOver(tx, caller, id, { from, to: user_id, keeps: keep_access === undefined })
        : 0;
    await recordEvent(tx, caller, {
      action: 'cog.transferred',
      target_type: 'cog',
      target_id: id,
      details: { from, to: user_id, keep_access, recursive, count_below: count },
    });
    return findShown(tx, caller, id);
  });
}

async function takeOver(
  tx: Db,
  caller: Caller,
  id: number,
  change: { from: number; to: number; keeps: boolean },
): Promise<number> {
  const { walked, count } = await takeOverBelow(tx, caller, id, change, mostBelow);
  if (walked <= mostBelow) return count;
  throw conflict(
    'too_many_items',
    `There are more than ${mostBelow} files and folders in it. Hand over the folders in it one by one.`,
  );
}
