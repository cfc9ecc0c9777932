/** SQL of paths: cogs by the names on the way to them. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Tag } from '../../../db/statement.ts';
import { ownGrant, withOwnGrant } from '../../permissions/access.ts';
import { outOfReach } from '../lists/queries.ts';
import { type CogRow, cogColumns, withObjects } from '../queries.ts';

/** A cog on a path, with the caller's own grant on it. */
export type StepRow = CogRow;

/** The root and the cogs on this path below it, as far as they exist. */
export const findSteps = (db: Tag, who: Caller, names: readonly string[]) =>
  stepsFrom(
    db,
    who,
    db`
      select cogs.id
      from cogs
      where cogs.tenant_id = ${who.tenant_id} and cogs.cog_type = 'master_folder'
    `,
    names,
  );

/**
 * The same from a cog that is out of the caller's reach otherwise (lists/queries.ts): the one of that
 * id and name, or without an id the first of that name.
 */
export const findStepsFromShared = (
  db: Db,
  who: Caller,
  { name, id }: { name: string; id: number | undefined },
  names: readonly string[],
) =>
  stepsFrom(
    db,
    who,
    db`
      select shared.id
      from (${outOfReach(db, who, name)}) as shared
      where ${id === undefined ? db`true` : db`shared.id = ${id}`}
      limit 1
    `,
    names,
  );

/**
 * One look-up per name, by the index of names; planned while the table was small, other conditions
 * might read all children of a folder for each.
 */
const stepsFrom = (db: Tag, who: Caller, start: ReturnType<Tag>, names: readonly string[]) => db<
  StepRow[]
>`
  with recursive start as (${start}),
  steps as (
    select start.id, 0 as position from start
    union all
    select child.id, steps.position + 1
    from steps
    cross join lateral (select (${names}::text[])[steps.position + 1] as name) as wanted
    cross join lateral (
      select cogs.id
      from cogs
      where cogs.tenant_id = ${who.tenant_id} and cogs.parent_id = steps.id
        and cogs.name between wanted.name and wanted.name and cogs.deleted_at is null
      order by cogs.name
      limit 1
    ) as child
  )
  select ${cogColumns(db)}, ${ownGrant(db)} as deciding
  from steps
  cross join lateral (
    select cogs.* from cogs
    where cogs.tenant_id = ${who.tenant_id} and cogs.id = steps.id
    offset 0
  ) as cogs
  ${withObjects(db)}
  ${withOwnGrant(db, who)}
  order by steps.position
`;
