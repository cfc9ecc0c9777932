/**
 * The trash: deleted cogs, until they are restored or removed for ever. Deleting, restoring and
 * removing cost the same whatever lies below; a duty removes rows and bytes in portions.
 */

import type { Caller } from '../../../callers.ts';
import { type Db, violates } from '../../../db/connection.ts';
import { conflict, DomainError, forbidden, nameCollision } from '../../../errors.ts';
import { releaseObjects } from '../../../objects/objects.ts';
import type { Listed, Page } from '../../../pages.ts';
import { recordEvent, recordEvents } from '../../audit-events/audit-events.ts';
import { lockTree, reach, requireNeed } from '../../permissions/access.ts';
import { grantAfterRestoration } from '../../permissions/cog-grants.ts';
import { findShown, requireDepth } from '../cogs.ts';
import { checkedName } from '../places/names.ts';
import { requireFreeName, requireOwnIn } from '../places/outputs-root.ts';
import { lockFolder, raiseLevelsAbove } from '../queries.ts';
import type { RestoredCog, TrashedCog } from '../schema.ts';
import {
  countTrash,
  findTrash,
  type ListedTrash,
  lockPurged,
  lockTrashed,
  purgeChildren,
  purgeDeletedBefore,
  purgeOwned,
  removeChildless,
  setPurged,
  setRestored,
  type TrashedRow,
} from './queries.ts';

/** How long a deleted cog can be restored. */
const trashDays = 30;
const day_ms = 24 * 60 * 60 * 1000;

/** What the caller may restore, newest first: admins see the trash of all. */
export async function listTrash(db: Db, caller: Caller, page: Page): Promise<Listed<TrashedCog>> {
  const rows = (await findTrash(db, caller, page)).map(trashed);
  if (!page.with_total) return { rows };
  return { rows, total: await countTrash(db, caller) };
}

const trashed = ({ purpose: _, ...row }: ListedTrash): TrashedCog => ({
  ...row,
  expires_at: new Date(Date.parse(row.deleted_at) + trashDays * day_ms).toISOString(),
});

/**
 * Puts a deleted cog back where it was, with all that was in it. Its owner owns it again, unless that
 * was revoked; for the other grants on it see permissions/restoring.ts.
 *
 * @param given a new name, for when the old one is taken.
 * @throws DomainError 404 if it is not in the caller's trash; 409 `not_in_trash`, `name_collision`,
 *   `parent_deleted`, `depth_limit`, `name_reserved`.
 */
export function restoreCog(
  db: Db,
  caller: Caller,
  id: number,
  given: string | undefined,
): Promise<RestoredCog> {
  const { tenant_id } = caller;
  return db.transaction(async (tx) => {
    await lockTree(tx, tenant_id, 'add');
    const cog = await requireTrashed(tx, caller, id);
    const parentId = cog.parent_id ?? 0;
    await lockFolder(tx, tenant_id, parentId);
    const [parent] = await reach(tx, caller, [parentId]);
    if (!parent) throw parentDeleted();
    const name = given === undefined ? cog.name : checkedName(given);
    requireFreeName(parent, name);
    if (name !== cog.name) requireOwnIn(parent, cog, caller);
    if (cog.cog_type !== 'file') await requireDepth(tx, tenant_id, parent.depth + 1, id);

    await setRestored(tx, tenant_id, id, name).catch((error: unknown) => {
      throw violates(error, 'cogs_name_unique_among_siblings') ? nameCollision(name, error) : error;
    });
    if (cog.cog_type !== 'file') await raiseLevelsAbove(tx, tenant_id, id);
    await grantAfterRestoration(tx, caller, cog, cog.ended_grants ?? []);
    await recordEvent(tx, caller, {
      action: 'cog.restored',
      target_type: 'cog',
      target_id: id,
      details: { name, cog_type: cog.cog_type, parent_id: parentId },
    });
    // A folder further up, which is not locked, may have been deleted meanwhile.
    return findShown(tx, caller, id).catch((error: unknown) => {
      throw error instanceof DomainError && error.problem === 'not_found' ? parentDeleted() : error;
    });
  });
}

const parentDeleted = () =>
  conflict('parent_deleted', 'The folder it was in is deleted as well: restore that one first.');

/**
 * Removes a cog in the trash for ever, with all below it.
 *
 * @throws DomainError 409 `not_in_trash`; 404 if it is not in the caller's trash, `forbidden`
 *   except for its owner and admins.
 */
export function purgeCog(db: Db, caller: Caller, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    const cog = await requireTrashed(tx, caller, id);
    if (!owns(caller, cog)) {
      throw forbidden('Only its owner and admins of the tenant may remove it for ever.');
    }
    await setPurged(tx, caller.tenant_id, id);
    await recordEvent(tx, caller, purged(cog));
  });
}

/** Removes for ever all in the trash that the caller may remove, a portion at a time. */
export async function purgeAll(db: Db, caller: Caller): Promise<void> {
  const { tenant_id, user_id } = caller;
  const portion = 1000;
  const purgeSome = () =>
    db.transaction(async (tx) => {
      const cogs = await purgeOwned(tx, caller, portion);
      await recordEvents(
        tx,
        cogs.map((cog) => ({ tenant_id, user_id, ...purged(cog) })),
      );
      return cogs.length;
    });
  while ((await purgeSome()) === portion);
}

const purged = ({ id, name }: { id: number; name: string }) => ({
  action: 'cog.purged',
  target_type: 'cog',
  target_id: id,
  details: { name },
});

/**
 * @throws DomainError 409 `not_in_trash` for a cog that is not deleted; 404 for all who may not
 *   restore it.
 */
async function requireTrashed(tx: Db, caller: Caller, id: number): Promise<TrashedRow> {
  const own = async () => {
    const cog = await lockTrashed(tx, caller, id);
    return cog && (owns(caller, cog) || cog.deleted_by === caller.user_id) ? cog : undefined;
  };
  const cog = await own();
  if (cog) return cog;
  const [live] = await reach(tx, caller, [id]);
  // It may have been deleted between the two looks.
  const deleted = live ? undefined : await own();
  if (deleted) return deleted;
  requireNeed(live, 'view');
  throw conflict('not_in_trash', 'This is not in the trash.');
}

/** Its owner, as long as their right was not revoked, and all admins. */
const owns = ({ role, user_id }: Caller, { owner_id, is_owned }: TrashedRow): boolean =>
  role === 'admin' || (owner_id === user_id && is_owned);

/** Purges what has been in the trash for its time. @returns how many cogs. */
export function emptyTrash(db: Db, now: Date, limit: number): Promise<number> {
  const time = new Date(now.getTime() - trashDays * day_ms);
  return db.transaction(async (tx) => {
    const cogs = await purgeDeletedBefore(tx, time, limit);
    await recordEvents(
      tx,
      cogs.map((cog) => ({ tenant_id: cog.tenant_id, ...purged(cog) })),
    );
    return cogs.length;
  });
}

/**
 * Removes a portion of the purged cogs, folders after all that was in them, and releases their
 * bytes. Several processes may do so at once.
 *
 * @returns how many it removed or found below; 0 if there is nothing to do.
 */
export function removePurged(db: Db, limit: number): Promise<number> {
  return db.transaction(async (tx) => {
    const found = await lockPurged(tx, limit);
    if (found.length === 0) return 0;
    const folders = found.filter(({ object_id }) => object_id === undefined);
    const below = await purgeChildren(tx, folders, limit);
    const { count, objects } = await removeChildless(tx, found);
    await releaseObjects(tx, objects);
    return count + below;
  });
}
