/**
 * The trash: deleted cogs, until they are restored (restoration.ts) or removed for ever. Deleting,
 * restoring and removing cost the same whatever lies below; a duty removes rows and bytes in portions.
 */

import { actorOf, type Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { attempt, type Decided, resultOf, resultsOf } from '../../../decided.ts';
import { conflict, forbidden } from '../../../errors.ts';
import { releaseObjects } from '../../../objects/objects.ts';
import type { Listed, Page } from '../../../pages.ts';
import { recordEvents } from '../../audit-events/audit-events.ts';
import { type Reached, reach, requireNeed } from '../../permissions/access.ts';
import type { TrashedCog } from '../schema.ts';
import { lockTreeFor } from './locks.ts';
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
 * Removes a cog in the trash for ever, with all below it.
 *
 * @throws DomainError 409 `not_in_trash`; 404 if it is not in the caller's trash, `forbidden`
 *   except for its owner and admins.
 */
export async function purgeCog(db: Db, caller: Caller, id: number): Promise<void> {
  const [outcome] = await purgeCogs(db, caller, [id]);
  resultOf(outcome);
}

/** The same for many. @returns the outcome of each, with errors like `purgeCog`. */
export function purgeCogs(
  db: Db,
  caller: Caller,
  ids: readonly number[],
): Promise<Decided<undefined>[]> {
  const { tenant_id } = caller;
  return db.transaction(
    async (tx) => {
      const locked = lockTreeFor(tx, tenant_id, ids).send();
      // Sent before the other look: what it waits for may be restored by then.
      const inTrash = lockTrashed(tx, caller, ids).send();
      const [, rows, reached] = await Promise.all([locked, inTrash, reach(tx, caller, ids)]);
      const live = new Map(reached.map((cog) => [cog.id, cog]));
      const seen = new Set([...rows, ...reached].map(({ id }) => id));
      const unseen = ids.filter((id) => !seen.has(id));
      // One may have been deleted between the two looks.
      const late = unseen.length > 0 ? await lockTrashed(tx, caller, unseen) : [];
      const trashed = new Map([...rows, ...late].map((row) => [row.id, row]));
      const decided = ids.map((id) =>
        attempt(() => requireOwned(caller, requireTrashed(caller, trashed.get(id), live.get(id)))),
      );
      const cogs = [...new Set(resultsOf(decided))];
      if (cogs.length > 0) {
        const events = cogs.map((cog) => ({ ...actorOf(caller), ...purged(cog) }));
        await tx.commit([
          setPurged(
            tx,
            tenant_id,
            cogs.map(({ id }) => id),
          ),
          recordEvents(tx, events),
        ]);
      }
      return decided.map((one) => ('error' in one ? one : { result: undefined }));
    },
    { readsFirst: true, isRepeatable: true },
  );
}

function requireOwned(caller: Caller, cog: TrashedRow): TrashedRow {
  if (owns(caller, cog)) return cog;
  throw forbidden('Only its owner and administrators may remove it for ever.');
}

/** Removes for ever all in the trash that the caller may remove, a portion at a time. */
export async function purgeAll(db: Db, caller: Caller): Promise<void> {
  const portion = 1000;
  const purgeSome = () =>
    db.transaction(async (tx) => {
      const cogs = await purgeOwned(tx, caller, portion);
      await recordEvents(
        tx,
        cogs.map((cog) => ({ ...actorOf(caller), ...purged(cog) })),
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
 * The cog, if the caller may restore it.
 *
 * @param live the same cog, if it is not deleted.
 * @throws DomainError 409 `not_in_trash` for a cog that is not deleted; 404 for all who may not
 *   restore it.
 */
export function requireTrashed(
  caller: Caller,
  cog: TrashedRow | undefined,
  live: Reached | undefined,
): TrashedRow {
  if (cog && (owns(caller, cog) || cog.deleted_by === caller.user_id)) return cog;
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
