/** SQL of workflows and their versions. */
import type { Graph } from '@cogworks/graph/types';
import type { Db } from '../../db/connection.ts';
import type { Page } from '../../http/paging.ts';
import type { Workflow } from './schema.ts';

/** A version without its graph, as lists have it. */
export type VersionSummaryRow = {
  id: number;
  workflow_id: number;
  version_number: number;
  state: 'draft' | 'published' | 'archived';
  graph_hash: string;
  node_count: number;
  input_count: number;
  created_by: number;
  created_at: string;
  published_at?: string;
};

export type VersionRow = VersionSummaryRow & { tenant_id: number; revision: number; graph: Graph };

const columns = (db: Db) => db`
  id, name, description, created_by, latest_version_id, published_version_id, created_at, updated_at
`;

export async function addWorkflow(
  db: Db,
  tenantId: number,
  userId: number,
  name: string,
  description: string | undefined,
): Promise<Workflow> {
  const [row] = await db<Workflow[]>`
    insert into workflows (tenant_id, name, description, created_by)
    values (${tenantId}, ${name}, ${description ?? null}, ${userId})
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
  const rows = await db<Workflow[]>`
    select ${columns(db)}
    from workflows
    where tenant_id = ${tenantId} and deleted_at is null and id > ${after?.[0] ?? 0}
    order by id
    limit ${limit} offset ${offset}
  `;
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

/** Locks the workflow, so that two new versions do not get one number. */
export function lockWorkflow(db: Db, tenantId: number, id: number) {
  return db`select from workflows where tenant_id = ${tenantId} and id = ${id} for update`;
}

export async function updateWorkflow(
  db: Db,
  tenantId: number,
  id: number,
  { name, description }: { name?: string; description?: string },
): Promise<Workflow | undefined> {
  const [row] = await db<Workflow[]>`
    update workflows
    set name = coalesce(${name ?? null}, name),
        description = coalesce(${description ?? null}, description),
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
  graph: Graph,
  graphHash: string,
): Promise<VersionRow> {
  const [row] = await db<VersionRow[]>`
    insert into workflow_versions (tenant_id, workflow_id, version_number, graph, graph_hash, created_by)
    select ${tenantId}, ${workflowId}, coalesce(max(version_number), 0) + 1,
           ${db.json(graph as never)}, ${graphHash}, ${userId}
    from workflow_versions
    where tenant_id = ${tenantId} and workflow_id = ${workflowId}
    returning *
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
  const rows = await db<VersionSummaryRow[]>`
    select id, workflow_id, version_number, state, graph_hash, node_count, input_count, created_by,
           created_at, published_at
    from workflow_versions
    where tenant_id = ${tenantId} and workflow_id = ${workflowId} and id > ${after?.[0] ?? 0}
    order by id
    limit ${limit} offset ${offset}
  `;
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
    select workflow_versions.*
    from workflow_versions
    join workflows on workflows.tenant_id = workflow_versions.tenant_id
      and workflows.id = workflow_versions.workflow_id
    where workflow_versions.tenant_id = ${tenantId}
      and workflow_versions.id = ${id}
      and workflows.deleted_at is null
  `;
  return row;
}

/** Only while it is a draft of that revision; none when somebody was faster. */
export async function updateDraft(
  db: Db,
  tenantId: number,
  id: number,
  revision: number,
  graph: Graph,
  graphHash: string,
): Promise<VersionRow | undefined> {
  const [row] = await db<VersionRow[]>`
    update workflow_versions
    set graph = ${db.json(graph as never)}, graph_hash = ${graphHash}, revision = revision + 1
    where tenant_id = ${tenantId} and id = ${id} and revision = ${revision} and state = 'draft'
    returning *
  `;
  return row;
}

export async function setVersionState(
  db: Db,
  tenantId: number,
  version: VersionRow,
  state: 'published' | 'archived',
): Promise<VersionRow | undefined> {
  const [row] = await db<VersionRow[]>`
    update workflow_versions
    set state = ${state},
        published_at = case when ${state} = 'published' then now() else published_at end
    where tenant_id = ${tenantId} and id = ${version.id} and revision = ${version.revision}
    returning *
  `;
  // The published version of a workflow is its newest one that is still published.
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
