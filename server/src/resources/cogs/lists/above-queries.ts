/** SQL of the folders above the cogs of a list. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { cogByKey, type DecidingGrant, ownGrant, withOwnGrant } from '../../permissions/access.ts';
import type { CogRow } from '../queries.ts';

export type FolderAbove = Pick<CogRow, 'id' | 'parent_id' | 'name' | 'cog_type' | 'purpose'> & {
  is_deleted: boolean;
  /** The user's grant on this very folder. */
  deciding?: DecidingGrant;
};

/** These folders and all above them, each once. */
export function findFoldersAbove(db: Db, caller: Caller, ids: readonly number[]) {
  return db<FolderAbove[]>`
    with recursive above as (
      select unnest(${ids}::bigint[]) as id
      union
      select folder.parent_id
      from above
      cross join lateral (
        select cogs.parent_id
        from cogs
        where cogs.tenant_id = ${caller.tenant_id} and cogs.id = above.id
        offset 0
      ) as folder
      where folder.parent_id is not null
    )
    select
      cogs.id, cogs.parent_id, cogs.name, cogs.cog_type, cogs.purpose,
      cogs.deleted_at is not null as is_deleted, ${ownGrant(db)} as deciding
    from above
    cross join lateral ${cogByKey(db, caller.tenant_id, db`above.id`)}
    ${withOwnGrant(db, caller)}
  `;
}
