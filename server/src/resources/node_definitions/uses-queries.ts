/** SQL of what uses a definition: graphs are searched, because no table lists their nodes. */
import type { Db } from '../../db/connection.ts';
import { type Page, pageBytes } from '../../pages.ts';
import type { DefinitionUse } from './schema.ts';

/** Versions that are searched for one page. */
const mostSearched = 500;

type Found = Partial<DefinitionUse> & { reached?: number; is_end: boolean };

/**
 * The latest and the published version of each workflow that use the definition, newest first.
 *
 * @returns also after which version the search ended before its end, because it had read enough.
 */
export async function findDefinitionUses(
  db: Db,
  tenantId: number,
  id: number,
  { after, offset, limit, with_total }: Page,
) {
  const current = db`
    workflows
    join workflow_versions as version
      on version.tenant_id = workflows.tenant_id
      and version.id in (workflows.latest_version_id, workflows.published_version_id)
    where workflows.tenant_id = ${tenantId} and workflows.deleted_at is null
  `;
  const node = JSON.stringify([{ node_definition_id: id }]);
  // An offset counts rows of the whole list.
  const isBounded = offset === 0;
  const rows = await db<Found[]>`
    with near as (
      select workflows.id as workflow_id, workflows.name as workflow_name,
        version.id as workflow_version_id, version_number, state, graph,
        version.id = published_version_id as is_published,
        pg_column_size(graph) as bytes
      from ${current} and (${after?.[0] ?? null}::bigint is null or version.id < ${after?.[0] ?? null})
      order by version.id desc
      limit ${isBounded ? mostSearched : null}::bigint
    ),
    sized as (
      select *, sum(bytes) over (order by workflow_version_id desc) - bytes as bytes_before
      from near
    ),
    searched as (
      select * from sized where not ${isBounded}::boolean or bytes_before < ${pageBytes}
    ),
    found as (
      select workflow_id, workflow_name, workflow_version_id, version_number, state,
        coalesce(is_published, false) as is_published,
        jsonb_array_length(
          jsonb_path_query_array(graph, '$.nodes[*] ? (@.node_definition_id == $id)', ${db.json({ id })})
        ) as node_count
      from searched
      where graph->'nodes' @> ${node}::text::jsonb
      order by workflow_version_id desc
      limit ${limit} offset ${offset}
    )
    select found.*, extent.*
    from (
      select min(workflow_version_id) as reached,
        count(*) < ${mostSearched} and count(*) = (select count(*) from near) as is_end
      from searched
    ) as extent
    left join found on true
    order by workflow_version_id desc
  `;
  const { reached, is_end = true } = rows[0] ?? {};
  const uses = rows.flatMap(({ reached: _, is_end: __, ...use }) =>
    use.workflow_version_id === undefined ? [] : [use as DefinitionUse],
  );
  const next = isBounded && !is_end && reached !== undefined ? { next: [reached] } : {};
  if (!with_total) return { rows: uses, ...next };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total from ${current} and graph->'nodes' @> ${node}::text::jsonb
  `;
  return { rows: uses, total: count?.total ?? 0, ...next };
}
