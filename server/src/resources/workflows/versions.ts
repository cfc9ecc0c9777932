/**
 * Versions of a workflow: a draft is edited under its ETag, checked by the same validator that
 * the builder uses, and published for good.
 */
import type { Graph } from '@cogworks/graph/types';
import type { Db } from '../../db/connection.ts';
import { conflict, DomainError, notFound, unprocessableFor } from '../../errors.ts';
import type { Page } from '../../http/paging.ts';
import type { Caller } from '../../services.ts';
import { definitionsOf } from '../node_definitions/node_definitions.ts';
import { checkGraph } from './check-graph.ts';
import { addDraft, hashOf } from './drafts.ts';
import {
  findVersion,
  listVersionRows,
  setVersionState,
  updateDraft,
  type VersionRow,
} from './queries.ts';
import { getWorkflow, requireCreator } from './workflows.ts';

const emptyGraph: Graph = { nodes: [], edges: [], inputs: [], variables: [] };

/** A new draft of the given graph, or of the latest version's. */
export function createVersion(
  db: Db,
  caller: Caller,
  workflowId: number,
  graph: Graph | undefined,
) {
  return db.transaction(async (tx) => {
    const workflow = await requireCreator(tx, caller, workflowId);
    const latest = workflow.latest_version_id
      ? await findVersion(tx, caller.tenant_id, workflow.latest_version_id)
      : undefined;
    return addDraft(tx, caller, workflowId, graph ?? latest?.graph ?? emptyGraph);
  });
}

export async function listVersions(db: Db, caller: Caller, workflowId: number, page: Page) {
  await getWorkflow(db, caller, workflowId);
  return listVersionRows(db, caller.tenant_id, workflowId, page);
}

export async function getVersion(db: Db, caller: Caller, id: number): Promise<VersionRow> {
  const version = await findVersion(db, caller.tenant_id, id);
  if (!version) throw notFound('Workflow version');
  return version;
}

/** The `ETag` of a version: changes with every edit of the draft. */
export const etagOf = (version: VersionRow) => `"${version.id}-${version.revision}"`;

/**
 * Replaces a draft's graph.
 *
 * @param ifMatch the ETag the editor started from.
 * @throws DomainError 428 without one, 412 when the draft changed since, 409 `not_a_draft`.
 */
export function changeDraft(
  db: Db,
  caller: Caller,
  id: number,
  graph: Graph,
  ifMatch: string | undefined,
): Promise<VersionRow> {
  return db.transaction(async (tx) => {
    const version = await getVersion(tx, caller, id);
    await requireCreator(tx, caller, version.workflow_id);
    if (ifMatch === undefined) {
      throw new DomainError('precondition_required', "Send If-Match with the version's ETag.");
    }
    if (version.state !== 'draft') {
      throw conflict(
        'not_a_draft',
        `Version ${version.version_number} is ${version.state}; make a new version to change it.`,
      );
    }
    const matches =
      ifMatch.trim() === '*' || ifMatch.split(',').some((tag) => tag.trim() === etagOf(version));
    const changed = matches
      ? await updateDraft(tx, caller.tenant_id, id, version.revision, graph, hashOf(graph))
      : undefined;
    if (!changed) {
      throw new DomainError(
        'precondition_failed',
        'The draft was changed since you read it. Read it again and redo your change.',
      );
    }
    return changed;
  });
}

export async function validateVersion(db: Db, caller: Caller, id: number) {
  const { graph } = await getVersion(db, caller, id);
  return validateFor(db, caller.tenant_id, graph);
}

/** @throws DomainError 422 with every fault of the graph, 409 `not_a_draft`. Publishing twice is fine. */
export function publishVersion(db: Db, caller: Caller, id: number): Promise<VersionRow> {
  return db.transaction(async (tx) => {
    const version = await getVersion(tx, caller, id);
    await requireCreator(tx, caller, version.workflow_id);
    if (version.state === 'published') return version;
    if (version.state === 'archived') {
      throw conflict(
        'version_archived',
        'An archived version cannot be published; make a new version.',
      );
    }
    await requireValid(tx, caller.tenant_id, version.graph);
    const published = await setVersionState(tx, caller.tenant_id, version, 'published');
    if (!published)
      throw conflict(
        'version_changed',
        'The draft was changed at the same moment. Look at it again.',
      );
    return published;
  });
}

export function archiveVersion(db: Db, caller: Caller, id: number): Promise<VersionRow> {
  return db.transaction(async (tx) => {
    const version = await getVersion(tx, caller, id);
    await requireCreator(tx, caller, version.workflow_id);
    const archived = await setVersionState(tx, caller.tenant_id, version, 'archived');
    if (!archived)
      throw conflict(
        'version_changed',
        'The draft was changed at the same moment. Look at it again.',
      );
    return archived;
  });
}

/** What a client sees: the row, with the graph's variables in front. */
export function shownVersion({ tenant_id: _tenant, revision: _revision, ...version }: VersionRow) {
  return { ...version, variables: shownVariables(version.graph) };
}

export function shownVariables(graph: Graph) {
  return graph.variables.map((variable) => ({ ...variable, required: variable.required ?? false }));
}

/** @throws DomainError 422 with all errors of the graph unless it can run. */
export async function requireValid(db: Db, tenantId: number, graph: Graph) {
  const { errors, more_errors } = await validateFor(db, tenantId, graph);
  if (errors.length === 0) return;
  throw unprocessableFor(
    errors.map(({ code, message, node_key, port }) => ({
      loc: ['graph', ...(node_key ? [node_key] : []), ...(port ? [port] : [])],
      msg: message,
      type: code,
    })),
    more_errors,
  );
}

async function validateFor(db: Db, tenantId: number, graph: Graph) {
  const ids = graph.nodes.map((node) => node.node_definition_id);
  return checkGraph(graph, await definitionsOf(db, tenantId, ids));
}
