/** SQL of node definitions. The platform's own (without a tenant) are everybody's. */
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import { partOfText } from '../../db/part-of-text.ts';
import { type Page, pageBytes } from '../../pages.ts';
import type { NewNodeDefinition, NodeDefinition } from './schema.ts';

const columns = (db: Db) => db`
  id, name, version, title, description, category, image, digest, command, env, inputs, outputs,
  params, resources, timeout_seconds, retry, network, cache, scope, created_at
`;

/** @param tenantId null for one of the platform. */
export async function addDefinition(
  db: Db,
  tenantId: number | null,
  userId: number | null,
  definition: Required<Omit<NewNodeDefinition, 'digest'>> & { digest?: string },
): Promise<NodeDefinition> {
  const [row] = await db<NodeDefinition[]>`
    insert into node_definitions
      (tenant_id, name, version, title, description, category, image, digest, command, env, inputs,
       outputs, params, resources, timeout_seconds, retry, network, cache, created_by)
    values
      (${tenantId}, ${definition.name}, ${definition.version}, ${definition.title},
       ${definition.description}, ${definition.category}, ${definition.image},
       ${definition.digest ?? null}, ${db.json(definition.command)}, ${db.json(definition.env)},
       ${db.json(definition.inputs)}, ${db.json(definition.outputs)}, ${db.json(definition.params)},
       ${db.json(definition.resources)}, ${definition.timeout_seconds}, ${db.json(definition.retry)},
       ${definition.network}, ${db.json(definition.cache)}, ${userId})
    returning ${columns(db)}
  `;
  if (!row) throw new Error('The definition was not added.');
  return row;
}

export async function listDefinitionRows(
  db: Db,
  tenantId: number,
  { category, q }: { category?: string; q?: string },
  { after, offset, limit, with_total }: Page,
) {
  const pattern = q === undefined ? null : partOfText(q);
  const visible = db`
    (tenant_id = ${tenantId} or tenant_id is null)
    and (${category ?? null}::text is null or category = ${category ?? null})
    and (${pattern}::text is null or name ilike ${pattern} or title ilike ${pattern} or description ilike ${pattern})
  `;
  const ordered = db`
    select ${columns(db)}, size_bytes
    from node_definitions
    where ${visible} and id > ${after?.[0] ?? 0}
    order by id
  `;
  // The schema of one definition's params may be a megabyte, so a page ends at `pageBytes`.
  const page = await db<(NodeDefinition & { found: number })[]>`
    with page as (${pageOf(db, { limit, offset }, ordered)}),
    sized as (
      select *, sum(size_bytes) over (order by id) - size_bytes as bytes_before,
        count(*) over () as found
      from page
    )
    select ${columns(db)}, found
    from sized
    where bytes_before < ${pageBytes}
    order by id
  `;
  const more = (page[0]?.found ?? 0) > page.length;
  const rows = page.map(({ found: _, ...row }): NodeDefinition => row);
  if (!with_total) return { rows, more };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total from node_definitions where ${visible}
  `;
  return { rows, more, total: count?.total ?? 0 };
}

/** Bytes of those of the ids that the tenant may use, without reading them. */
export async function sizeOfDefinitions(db: Db, tenantId: number, ids: number[]) {
  const [row] = await db<{ bytes: number }[]>`
    select coalesce(sum(size_bytes), 0)::bigint as bytes
    from node_definitions
    where (tenant_id = ${tenantId} or tenant_id is null) and id = any(${ids})
  `;
  return row?.bytes ?? 0;
}

/** What a graph is checked against, as JSON text, because it is not parsed here. */
export async function findDefinitionsJson(db: Db, tenantId: number, ids: readonly number[]) {
  const [row] = await db<{ json: string }[]>`
    select coalesce(
      jsonb_agg(jsonb_build_object(
        'id', id, 'name', name, 'version', version, 'command', command, 'inputs', inputs,
        'outputs', outputs, 'params', params, 'timeout_seconds', timeout_seconds
      )),
      '[]'
    )::text as json
    from node_definitions
    where (tenant_id = ${tenantId} or tenant_id is null) and id = any(${[...ids]})
  `;
  return row?.json ?? '[]';
}

/** Those of the ids that the tenant may use. */
export function findDefinitions(db: Db, tenantId: number, ids: number[]) {
  return db<NodeDefinition[]>`
    select ${columns(db)}
    from node_definitions
    where (tenant_id = ${tenantId} or tenant_id is null) and id = any(${ids})
  `;
}

/** Those of the platform with these names, in all their versions. */
export const findOfPlatform = (db: Db, names: readonly string[]) => db<
  { id: number; name: string; version: string }[]
>`
  select id, name, version
  from node_definitions
  where tenant_id is null and name = any(${names as string[]})
`;
