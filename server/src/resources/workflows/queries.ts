/** SQL of workflows and their versions. */
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Page } from '../../pages.ts';
import type { GraphText } from './graph-work.ts';
import type { NewWorkflow, Workflow, WorkflowChanges } from './schema.ts';

/** A version without its graph, for lists. */
export type VersionSummaryRow = {
  id: number;
  workflow_id: number;
  version_number: number;
  state: 'draft' | 'published' | 'archived';
  graph_hash: string;
  logic_hash: string;
  node_count: number;
  input_count: number;
  created_by: number;
  created_at: string;
  published_at?: string;
};

export type VersionRow = VersionSummaryRow & { tenant_id: number; revision: number };

/** A version as clients see it. Fields that may be megabytes are passed through as JSON text. */
export type ShownVersionRow = VersionRow & { graph_json: string; variables_json: string };

const versionColumns = (db: Db) => db`
  workflow_versions.id, workflow_versions.tenant_id, workflow_id, version_number, state,
  graph_hash, logic_hash, node_count, input_count, revision, workflow_versions.created_by,
  workflow_versions.created_at, published_at
`;

const shownColumns = (db: Db) => db`
  ${versionColumns(db)}, graph::text as graph_json, ${variables(db)} as variables_json
`;

/** Variables are not required by default. */
const variables = (db: Db) => db`
  (
    select coalesce(jsonb_agg('{"required": false}' || variable order by place), '[]')::text
    from jsonb_array_elements(graph->'variables') with ordinality as each (variable, place)
  )
`;

const columns = (db: Db) => db`
  id, name, description, created_by, latest_version_id, published_version_id, max_running, created_at,
  updated_at
`;

export async function addWorkflow(
  db: Db,
  tenantId: number,
  userId: number,
  { name, description, max_running }: Omit<NewWorkflow, 'graph'>,
): Promise<Workflow> {
  const [row] = await db<Workflow[]>`
    insert into workflows (tenant_id, name, description, max_running, created_by)
    values (${tenantId}, ${name}, ${description ?? null}, ${max_running ?? null}, ${userId})
    returning ${columns(db)}
  `;
  if (!row) throw new Error('The workflow was not added.');
  return row;
}

export async function listWorkflowRows(
  db: Db,
  tenantId: number,
  { after, offset, limit, with_total }: Page,
) {
  const ordered = db`
    select ${columns(db)}
    from workflows
    where tenant_id = ${tenantId} and deleted_at is null and id > ${after?.[0] ?? 0}
    order by id
  `;
  const rows = await db<Workflow[]>`${pageOf(db, { limit, offset }, ordered)}`;
  if (!with_total) return { rows };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total from workflows where tenant_id = ${tenantId} and deleted_at is null
  `;
  return { rows, total: count?.total ?? 0 };
}

export async function findWorkflow(
  db: Db,
  tenantId: number,
  id: number,
): Promise<Workflow | undefined> {
  const [row] = await db<Workflow[]>`
    select ${columns(db)}
    from workflows
    where tenant_id = ${tenantId} and id = ${id} and deleted_at is null
  `;
  return row;
}

/**
 * Locks the workflow, so that two new versions do not get the same number, and each publication
 * knows those before it. Before any lock of its versions.
 */
export async function lockWorkflow(db: Db, tenantId: number, id: number) {
  const [row] = await db<{ published_version_id?: number }[]>`
    select published_version_id
    from workflows
    where tenant_id = ${tenantId} and id = ${id}
    for update
  `;
  return row;
}

export async function updateWorkflow(
  db: Db,
  tenantId: number,
  id: number,
  { name, description, max_running }: WorkflowChanges,
): Promise<Workflow | undefined> {
  const [row] = await db<Workflow[]>`
    update workflows
    set name = coalesce(${name ?? null}, name),
        description = coalesce(${description ?? null}, description),
        max_running = case when ${max_running !== undefined} then ${max_running ?? null}::int else max_running end,
        updated_at = now()
    where tenant_id = ${tenantId} and id = ${id} and deleted_at is null
    returning ${columns(db)}
  `;
  return row;
}

export function markWorkflowDeleted(db: Db, tenantId: number, id: number) {
  return db`update workflows set deleted_at = now() where tenant_id = ${tenantId} and id = ${id}`;
}

/** Adds a draft with the next number and makes it the latest. */
export async function addVersion(
  db: Db,
  tenantId: number,
  workflowId: number,
  userId: number,
  graph: GraphText,
): Promise<ShownVersionRow> {
  const [row] = await db<ShownVersionRow[]>`
    insert into workflow_versions
      (tenant_id, workflow_id, version_number, graph, graph_hash, logic_hash, created_by)
    select ${tenantId}, ${workflowId}, coalesce(max(version_number), 0) + 1,
           ${graph.text}::text::jsonb, ${graph.hash}, ${graph.logic_hash}, ${userId}
    from workflow_versions
    where tenant_id = ${tenantId} and workflow_id = ${workflowId}
    returning ${shownColumns(db)}
  `;
  if (!row) throw new Error('The version was not added.');
  await db`
    update workflows
    set latest_version_id = ${row.id}, updated_at = now()
    where tenant_id = ${tenantId} and id = ${workflowId}
  `;
  return row;
}

export async function listVersionRows(
  db: Db,
  tenantId: number,
  workflowId: number,
  { after, offset, limit, with_total }: Page,
) {
  const ordered = db`
    select id, workflow_id, version_number, state, graph_hash, logic_hash, node_count, input_count,
           created_by, created_at, published_at
    from workflow_versions
    where tenant_id = ${tenantId} and workflow_id = ${workflowId} and id > ${after?.[0] ?? 0}
    order by id
  `;
  const rows = await db<VersionSummaryRow[]>`${pageOf(db, { limit, offset }, ordered)}`;
  if (!with_total) return { rows };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total
    from workflow_versions
    where tenant_id = ${tenantId} and workflow_id = ${workflowId}
  `;
  return { rows, total: count?.total ?? 0 };
}

export async function findVersion(
  db: Db,
  tenantId: number,
  id: number,
): Promise<VersionRow | undefined> {
  const [row] = await db<VersionRow[]>`
    select ${versionColumns(db)}
    ${existing(db, tenantId, id)}
  `;
  return row;
}

export async function findShownVersion(
  db: Db,
  tenantId: number,
  id: number,
): Promise<ShownVersionRow | undefined> {
  const [row] = await db<ShownVersionRow[]>`
    select ${shownColumns(db)}
    ${existing(db, tenantId, id)}
  `;
  return row;
}

export type FoundGraph = {
  json: string;
  graph_hash: string;
  logic_hash: string;
  definition_ids: number[];
};

/** The graph as JSON text with its hashes, and the ids of the definitions its nodes use. */
export async function findGraph(db: Db, tenantId: number, id: number) {
  const [row] = await db<FoundGraph[]>`
    select graph::text as json, graph_hash, logic_hash,
      array(
        select distinct (node->>'node_definition_id')::bigint
        from jsonb_array_elements(graph->'nodes') as node
      ) as definition_ids
    ${existing(db, tenantId, id)}
  `;
  return row;
}

export async function findVariables(db: Db, tenantId: number, id: number) {
  const [row] = await db<{ json: string }[]>`
    select ${variables(db)} as json
    ${existing(db, tenantId, id)}
  `;
  return row?.json;
}

const existing = (db: Db, tenantId: number, id: number) => db`
  from workflow_versions
  join workflows on workflows.tenant_id = workflow_versions.tenant_id
    and workflows.id = workflow_versions.workflow_id
  where workflow_versions.tenant_id = ${tenantId}
    and workflow_versions.id = ${id}
    and workflows.deleted_at is null
`;

/** Only if it is still a draft of that revision; undefined otherwise. */
export async function updateDraft(
  db: Db,
  tenantId: number,
  id: number,
  revision: number,
  graph: GraphText,
): Promise<ShownVersionRow | undefined> {
  const [row] = await db<ShownVersionRow[]>`
    update workflow_versions
    set graph = ${graph.text}::text::jsonb, graph_hash = ${graph.hash},
        logic_hash = ${graph.logic_hash}, revision = revision + 1
    where tenant_id = ${tenantId} and id = ${id} and revision = ${revision} and state = 'draft'
    returning ${shownColumns(db)}
  `;
  return row;
}

/**
 * Only if it still does what `version` says, and only drafts are published; undefined otherwise. The
 * caller has locked the workflow.
 */
export async function setVersionState(
  db: Db,
  tenantId: number,
  version: Pick<VersionRow, 'id' | 'workflow_id' | 'logic_hash'>,
  state: 'published' | 'archived',
): Promise<ShownVersionRow | undefined> {
  const [row] = await db<ShownVersionRow[]>`
    update workflow_versions
    set state = ${state},
        published_at = case when ${state} = 'published' then now() else published_at end
    where tenant_id = ${tenantId} and id = ${version.id} and logic_hash = ${version.logic_hash}
      and (state = 'draft' or ${state} = 'archived')
    returning ${shownColumns(db)}
  `;
  // A workflow's published version is its newest one that is still published.
  await db`
    update workflows
    set published_version_id = (
          select max(id)
          from workflow_versions
          where tenant_id = ${tenantId} and workflow_id = ${version.workflow_id} and state = 'published'
        ),
        updated_at = now()
    where tenant_id = ${tenantId} and id = ${version.workflow_id}
  `;
  return row;
}

/** Deleted workflows too: their runs are still there. */
export const setWorkflowMaker = (
  tx: Db,
  { tenant_id, from, to }: { tenant_id: number; from: number; to: number },
) => tx<{ id: number }[]>`
  update workflows
  set created_by = ${to}
  where tenant_id = ${tenant_id} and created_by = ${from}
  returning id
`;
