/**
 * The order of names in lists: "scan 2" before "scan 10", "apple" before "Zebra". It is that of ICU,
 * a library that PostgreSQL uses, and may change with its version. An index along the old order then
 * misses rows of the new one, so it is built again before it is read.
 */
import type { Logger } from 'pino';
import { ConfigError } from '../config.ts';
import type { Db } from './connection.ts';
import type { Tag } from './statement.ts';

/**
 * A name, to be ordered by or compared with another in that order. Without it names are compared by
 * code point, as keys and look-ups do.
 */
export const inNaturalOrder = (db: Tag, name: ReturnType<Tag>) => db`${name} collate natural_order`;

/**
 * Builds the indexes along names again if PostgreSQL's ICU is not the one they were built with.
 * Others who read or write files wait until it commits. The caller prevents that two do it at once.
 */
export async function renewNaturalOrder(tx: Db, log?: Pick<Logger, 'warn'>): Promise<void> {
  const [outdated] = await findOutdated(tx);
  if (!outdated) return;
  const { built_with, now_with, indexes } = outdated;
  if (now_with === undefined) throw new ConfigError(icuIsMissing);
  log?.warn(
    { built_with, now_with, indexes },
    'PostgreSQL has another version of ICU: its indexes of names are built again',
  );
  await tx.script(indexes.map((index) => `reindex index ${index};`).join('\n'));
  await tx.script('alter collation natural_order refresh version');
}

/** No row if the version is the same, or before the migration that creates the order. */
const findOutdated = (tx: Db) => tx<
  { built_with?: string; now_with?: string; indexes: string[] }[]
>`
  select
    collversion as built_with,
    pg_collation_actual_version(oid) as now_with,
    array(
      select distinct objid::regclass::text
      from pg_depend
      join pg_class on pg_class.oid = objid and relkind = 'i'
      where classid = 'pg_class'::regclass
        and refclassid = 'pg_collation'::regclass and refobjid = pg_collation.oid
      order by 1
    ) as indexes
  from pg_collation
  where collname = 'natural_order' and pg_collation_is_visible(oid)
    and collversion is distinct from pg_collation_actual_version(oid)
`;

/** For an operator. */
export const icuIsMissing =
  'This PostgreSQL was built without ICU, which orders names. Use one that has it, as the packages of PostgreSQL and of Linux distributions do ("select count(*) from pg_collation where collprovider = \'i\'" is not 0 there).';
