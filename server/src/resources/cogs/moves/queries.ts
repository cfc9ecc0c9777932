/** SQL of moving cogs. */
import type { Db } from '../../../db/connection.ts';
import { cogByKey } from '../../permissions/access.ts';
import { hasSibling } from '../queries.ts';

/** A cog that is to be moved, and its new name if it gets one. */
export type Moving = { id: number; name?: string | undefined };

const idsOf = (cogs: readonly Moving[]) => cogs.map(({ id }) => id);
const namesOf = (cogs: readonly Moving[]) => cogs.map(({ name }) => name ?? null);

export type PlaceName = {
  id: number;
  name: string;
  parent_id: number;
  parent_name: string;
  /** Whether another cog in the target folder has the name that it is to have. */
  is_taken?: boolean;
};

/** What cogs are called, where they are, and whether their names are free in the target folder. */
export const findPlaceNames = (
  db: Db,
  tenantId: number,
  cogs: readonly Moving[],
  targetId: number,
) => db<PlaceName[]>`
  select
    cogs.id, cogs.name, parent.id as parent_id, parent.name as parent_name,
    (parent.id <> ${targetId} or moving.name <> cogs.name)
      and ${hasSibling(db, tenantId, db`${targetId}::bigint`, db`coalesce(moving.name, own.name)`)}
      as is_taken
  from unnest(${idsOf(cogs)}::bigint[], ${namesOf(cogs)}::text[]) as moving (id, name)
  cross join lateral ${cogByKey(db, tenantId, db`moving.id`)}
  cross join lateral (select cogs.name) as own
  cross join lateral (
    select higher.id, higher.name
    from cogs as higher
    where higher.tenant_id = ${tenantId} and higher.id = cogs.parent_id
    offset 0
  ) as parent
`;

/** Puts cogs into the folder, with their new names if they have one. */
export const setPlaces = (
  db: Db,
  tenantId: number,
  cogs: readonly Moving[],
  targetId: number,
) => db`
  update cogs
  set name = coalesce(moving.name, cogs.name), parent_id = ${targetId}, updated_at = now()
  from unnest(${idsOf(cogs)}::bigint[], ${namesOf(cogs)}::text[]) as moving (id, name)
  where cogs.tenant_id = ${tenantId} and cogs.id = moving.id
`;
