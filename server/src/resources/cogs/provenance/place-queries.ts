/** SQL of the places where files are now that runs recorded. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import {
  cogByKey,
  cogsAmong,
  reaching,
  type WalkRow,
  walkColumns,
} from '../../permissions/access.ts';
import { joiningRights } from '../trash/queries.ts';

export type PlaceRow = WalkRow & {
  name: string;
  version?: number;
  is_alive: boolean;
  is_removed: boolean;
  /** Whether the caller sees it, or what was deleted with it, in the trash. */
  is_in_own_trash?: boolean;
};

/** Where these files are now, deleted ones included. */
export const findPlaces = (db: Db, caller: Caller, ids: readonly number[]) => db<PlaceRow[]>`
  select
    ${walkColumns(db)}, cogs.name, cogs.version, walk.is_alive,
    coalesce(trashed.is_removed, false) as is_removed, trashed.is_own as is_in_own_trash
  from ${cogsAmong(db, caller, ids)}
  ${reaching(db, caller)}
  left join lateral (
    select
      bool_or(cogs.purged_at is not null) as is_removed,
      bool_and(
        cogs.deleted_by = ${caller.user_id}
        or cogs.owner_id = ${caller.user_id} and rights.is_owned
      ) as is_own
    from (
      select cogs.*
      from unnest(walk.ids) as above (id)
      cross join lateral ${cogByKey(db, caller.tenant_id, db`above.id`)}
      where cogs.deleted_at is not null
    ) as cogs
    ${joiningRights(db, caller)}
  ) as trashed on not walk.is_alive
`;
