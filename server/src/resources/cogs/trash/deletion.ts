/** Deleting cogs into the trash, one or many at once. */
import { actorOf, type Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { attempt, type Decided, resultOf, resultsOf } from '../../../decided.ts';
import { recordEvents } from '../../audit-events/audit-events.ts';
import { reachedBy, requireNeed } from '../../permissions/access.ts';
import {
  endGrantsOn,
  findGrantsAround,
  type GrantsAround,
  requireDeleteInside,
  rightfulOwner,
} from '../../permissions/cog-grants.ts';
import { rootFolder } from '../cogs.ts';
import { requireNoPurpose } from '../places/outputs-root.ts';
import { findPlacedCogs, lockAlone, type PlacedCogRow } from '../queries.ts';
import { lockTreeFor } from './locks.ts';
import { type DeletedRow, setDeleted } from './queries.ts';

/**
 * Deletes a cog: hides it and everything below, removes its grants and frees its name. Only one row
 * is written; the bytes stay, so that it can be restored.
 *
 * @throws DomainError `forbidden` without the right to delete it and what lies below.
 */
export async function deleteCog(db: Db, caller: Caller, id: number): Promise<void> {
  const [outcome] = await deleteCogs(db, caller, [id]);
  resultOf(outcome);
}

/**
 * Deletes cogs, each as if it were the only one. What is in another of them is deleted as well, and
 * can be restored after that one. One trip reads, one writes.
 *
 * @returns the outcome of each, with errors like `deleteCog`.
 */
export function deleteCogs(
  db: Db,
  caller: Caller,
  ids: readonly number[],
): Promise<Decided<undefined>[]> {
  const { tenant_id } = caller;
  const distinct = [...new Set(ids)];
  return db.transaction(
    async (tx) => {
      const locked = lockTreeFor(tx, tenant_id, distinct).send();
      const held = lockAlone(tx, tenant_id, distinct).send();
      const [, , rows, grants] = await Promise.all([
        locked,
        held,
        findPlacedCogs(tx, caller, distinct),
        findGrantsAround(tx, caller, distinct),
      ]);
      const cogs = new Map(rows.map((row) => [row.id, row]));
      const decided = new Map(
        distinct.map((id) => [id, attempt(() => decide(caller, cogs.get(id), grants))]),
      );
      const deleted = resultsOf([...decided.values()]);
      if (deleted.length > 0) {
        const events = deleted.map((one) => ({ ...actorOf(caller), ...eventOf(one) }));
        await tx.commit([
          endGrantsOn(
            tx,
            tenant_id,
            deleted.map(({ cog }) => cog.id),
          ),
          setDeleted(tx, caller, deleted.map(rowOf)),
          recordEvents(tx, events),
        ]);
      }
      return ids.map((id): Decided<undefined> => {
        const one = decided.get(id);
        return one && 'error' in one ? one : { result: undefined };
      });
    },
    { readsFirst: true, isRepeatable: true },
  );
}

/** A cog that may be deleted, and what is kept of it. */
type Deletion = { cog: PlacedCogRow } & Pick<DeletedRow, 'owner_id' | 'ended_grants'>;

function decide(caller: Caller, row: PlacedCogRow | undefined, grants: GrantsAround): Deletion {
  const reached = row && reachedBy(caller.role, row);
  const seen = requireNeed(reached, 'view');
  if (!row || row.cog_type === 'master_folder') throw rootFolder('deleted');
  requireNoPurpose(requireNeed(seen, 'delete'));
  requireDeleteInside(grants.below(row.id));
  const { owner_role, owner_id } = row;
  const placed = grants.along(row.path);
  return {
    cog: row,
    owner_id: rightfulOwner(caller, { owner_id, owner_role }, placed),
    ended_grants: grants.on(row.id),
  };
}

const rowOf = ({ cog, owner_id, ended_grants }: Deletion): DeletedRow => ({
  id: cog.id,
  owner_id,
  ended_grants,
});

const eventOf = ({ cog, owner_id, ended_grants }: Deletion) => ({
  action: 'cog.deleted',
  target_type: 'cog',
  target_id: cog.id,
  details: {
    ...{ name: cog.name, cog_type: cog.cog_type, parent_id: cog.parent_id, owner_id },
    grants_removed_of: ended_grants.map(({ user_id }) => user_id),
  },
});
