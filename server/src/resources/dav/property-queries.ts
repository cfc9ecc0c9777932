/** SQL of the properties that WebDAV clients set. */
import type { Db } from '../../db/connection.ts';
import type { TimeRow } from './time-queries.ts';

export type PropertyRow = {
  namespace: string;
  name: string;
  value: string;
  /** Of the element: its `xml:lang`. */
  lang?: string;
};

export const findProperties = (db: Db, tenantId: number, ids: readonly number[]) => db<
  (PropertyRow & { cog_id: number })[]
>`
  select cog_id, namespace, name, value, lang
  from dav_properties
  where tenant_id = ${tenantId} and cog_id = any(${ids}::bigint[])
  order by cog_id, namespace, name
`;

/** What is kept about cogs: properties, and times (time-queries.ts). */
export type Kept = Partial<PropertyRow & Omit<TimeRow, 'cog_id'>> & { cog_id: number };

/** Both in one statement, which may be asked for any number of cogs. */
export const findKept = (db: Db, tenantId: number, ids: readonly number[]) => db<Kept[]>`
  select
    cog_id, namespace, name, value, lang, null::int as version, null::timestamptz as modified_at
  from dav_properties
  where tenant_id = ${tenantId} and cog_id = any(${ids}::bigint[])
  union all
  select cog_id, null, null, null, null, version, modified_at
  from dav_times
  where tenant_id = ${tenantId} and cog_id = any(${ids}::bigint[])
`;

/** Replaces properties; those without a value are removed. Each name occurs once. */
export const setProperties = (
  tx: Db,
  tenantId: number,
  id: number,
  properties: readonly (Omit<PropertyRow, 'value'> & { value?: string })[],
) => tx`
  with given as (
    select *
    from unnest(
      ${properties.map(({ namespace }) => namespace)}::text[],
      ${properties.map(({ name }) => name)}::text[],
      ${properties.map(({ value }) => value ?? null)}::text[],
      ${properties.map(({ lang }) => lang ?? null)}::text[]
    ) as given (namespace, name, value, lang)
  ),
  removed as (
    delete from dav_properties
    using given
    where tenant_id = ${tenantId} and cog_id = ${id} and given.value is null
      and dav_properties.namespace = given.namespace and dav_properties.name = given.name
  )
  insert into dav_properties (tenant_id, cog_id, namespace, name, value, lang)
  select ${tenantId}, ${id}, namespace, name, value, lang from given where value is not null
  on conflict (tenant_id, cog_id, namespace, name)
    do update set value = excluded.value, lang = excluded.lang
`;

/** Takes the properties of the cog for this transaction, so that they can be counted. */
export const holdProperties = (tx: Db, tenantId: number, id: number) =>
  tx`select from cogs where tenant_id = ${tenantId} and id = ${id} for no key update`;

export const copyProperties = (tx: Db, tenantId: number, fromId: number, toId: number) => tx`
  insert into dav_properties (tenant_id, cog_id, namespace, name, value, lang)
  select tenant_id, ${toId}, namespace, name, value, lang
  from dav_properties
  where tenant_id = ${tenantId} and cog_id = ${fromId}
`;

/** Replaces the properties of one cog by those of another, if that has some. */
export const takeProperties = (tx: Db, tenantId: number, fromId: number, toId: number) => tx`
  with given as (
    select tenant_id, namespace, name, value, lang
    from dav_properties
    where tenant_id = ${tenantId} and cog_id = ${fromId}
  ),
  removed as (
    delete from dav_properties
    where tenant_id = ${tenantId} and cog_id = ${toId} and exists (select from given)
      and not exists (
        select from given
        where given.namespace = dav_properties.namespace and given.name = dav_properties.name
      )
  )
  insert into dav_properties (tenant_id, cog_id, namespace, name, value, lang)
  select tenant_id, ${toId}, namespace, name, value, lang from given
  on conflict (tenant_id, cog_id, namespace, name)
    do update set value = excluded.value, lang = excluded.lang
`;
