/** SQL of workflow templates. */
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import { partOfText } from '../../db/part-of-text.ts';
import type { Page } from '../../pages.ts';
import type { GraphText } from '../workflows/graph-work.ts';
import type { TemplateSummary } from './schema.ts';

/** `shipped_as` is the key of a template of the release. */
export type SummaryRow = Omit<TemplateSummary, 'samples'> & { shipped_as?: string };

export type TemplateRow = Omit<SummaryRow, 'shape'> & {
  graph_json: string;
  graph_hash: string;
  logic_hash: string;
};

const columns = (db: Db) => db`
  id, name, description, category,
  case when tenant_id is null then 'platform' else 'tenant' end as scope,
  shipped_as is not null as is_shipped, shipped_as,
  jsonb_array_length(graph->'nodes') as node_count, created_by, created_at
`;

/** Larger graphs have no picture. */
const mostDrawn = 60;

/** What a picture of the graph needs. */
const shape = (db: Db) => db`
  case when jsonb_array_length(graph->'nodes') <= ${mostDrawn} then jsonb_build_object(
    'nodes', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'key', node->'key', 'title', node->'title', 'map', node->'map'
      ))), '[]')
      from jsonb_array_elements(graph->'nodes') as node
    ),
    'edges', (
      select coalesce(jsonb_agg(distinct jsonb_strip_nulls(jsonb_build_object(
        'from', jsonb_build_object('input', edge->'from'->'input', 'node', edge->'from'->'node'),
        'to', jsonb_build_object('node', edge->'to'->'node')
      ))), '[]')
      from jsonb_array_elements(graph->'edges') as edge
    ),
    'inputs', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'name', input->'name', 'media_types', input->'media_types'
      ))), '[]')
      from jsonb_array_elements(graph->'inputs') as input
    )
  ) end as shape
`;

/** Those of the platform, and the tenant's own. */
const visible = (db: Db, tenantId: number) => db`(tenant_id is null or tenant_id = ${tenantId})`;

export async function addTemplate(
  db: Db,
  template: {
    tenant_id: number | null;
    name: string;
    description: string;
    category: string;
    created_by: number;
    graph: GraphText;
  },
): Promise<TemplateRow> {
  const { graph } = template;
  const [row] = await db<TemplateRow[]>`
    insert into workflow_templates
      (tenant_id, name, description, category, graph, graph_hash, logic_hash, created_by)
    values (${template.tenant_id}, ${template.name}, ${template.description}, ${template.category},
            ${graph.text}::text::jsonb, ${graph.hash}, ${graph.logic_hash}, ${template.created_by})
    returning ${columns(db)}, graph::text as graph_json, graph_hash, logic_hash
  `;
  return row as TemplateRow;
}

type TemplateFilter = { category?: string; q?: string };

/**
 * Of the platform's and of the tenant's each as many as the page may have. Ranges of one value, and
 * the order, name the index: along the ids alone, those of all tenants would be gone through.
 */
export function findTemplates(
  db: Db,
  tenantId: number,
  filter: TemplateFilter,
  { after, offset, limit }: Page,
) {
  const first = (of: ReturnType<Db>) => db`
    select *
    from (${pageOf(
      db,
      { limit: limit + offset, offset: 0 },
      db`
        select *
        from workflow_templates
        where ${of} ${matching(db, filter)} and id > ${after?.[0] ?? 0}
        order by tenant_id, ${filter.category === undefined ? db`` : db`category,`} id
      `,
    )}) as part
  `;
  return db<SummaryRow[]>`
    select ${columns(db)}, ${shape(db)}
    from (
      select *
      from (
        ${first(db`tenant_id is null`)}
        union all
        ${first(db`tenant_id >= ${tenantId} and tenant_id <= ${tenantId}`)}
      ) as template
      order by id
      limit ${limit} offset ${offset}
    ) as template
    order by id
  `;
}

export async function countTemplates(db: Db, tenantId: number, filter: TemplateFilter) {
  const [count] = await db<{ total: number }[]>`
    select count(*) as total
    from workflow_templates
    where ${visible(db, tenantId)} ${matching(db, filter)}
  `;
  return count?.total ?? 0;
}

const matching = (db: Db, { category, q }: TemplateFilter) => db`
  ${category === undefined ? db`` : db`and category >= ${category} and category <= ${category}`}
  ${q === undefined ? db`` : db`and (name || ' ' || description) ilike ${partOfText(q)}`}
`;

export async function findTemplate(db: Db, tenantId: number, id: number) {
  const [row] = await db<TemplateRow[]>`
    select ${columns(db)}, graph::text as graph_json, graph_hash, logic_hash
    from workflow_templates
    where id = ${id} and ${visible(db, tenantId)}
  `;
  return row;
}

export const removeTemplate = (db: Db, id: number) =>
  db`delete from workflow_templates where id = ${id}`;

/** Lets one server at a time change the templates of the release; the number identifies the lock. */
export const lockShipped = (tx: Db) => tx`select pg_advisory_xact_lock(7246150)`;

export type Shipped = {
  shipped_as: string;
  name: string;
  description: string;
  category: string;
  graph: GraphText;
};

/** Adds the templates of the release, and changes those that differ. */
export const keepTemplates = (tx: Db, templates: readonly Shipped[]) => tx`
  insert into workflow_templates
    (shipped_as, name, description, category, graph, graph_hash, logic_hash)
  select shipped_as, name, description, category, graph::jsonb, graph_hash, logic_hash
  from unnest(
    ${templates.map(({ shipped_as }) => shipped_as)}::text[],
    ${templates.map(({ name }) => name)}::text[],
    ${templates.map(({ description }) => description)}::text[],
    ${templates.map(({ category }) => category)}::text[],
    ${templates.map(({ graph }) => graph.text)}::text[],
    ${templates.map(({ graph }) => graph.hash)}::text[],
    ${templates.map(({ graph }) => graph.logic_hash)}::text[]
  ) with ordinality
    as given (shipped_as, name, description, category, graph, graph_hash, logic_hash, at)
  order by at
  on conflict (shipped_as) do update
  set name = excluded.name, description = excluded.description, category = excluded.category,
      graph = excluded.graph, graph_hash = excluded.graph_hash, logic_hash = excluded.logic_hash
  where (workflow_templates.name, workflow_templates.description, workflow_templates.category,
         workflow_templates.graph_hash)
    is distinct from (excluded.name, excluded.description, excluded.category, excluded.graph_hash)
`;

/** Removes those of other releases. */
export const removeOtherShipped = (tx: Db, kept: readonly string[]) => tx`
  delete from workflow_templates
  where shipped_as is not null and not shipped_as = any(${kept as string[]})
`;
