/** Workflows: named sequences of versions. Visible to the whole tenant. */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { forbidden, notFound } from '../../errors.ts';
import type { Page } from '../../pages.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { addDraft } from './drafts.ts';
import type { GraphText } from './graph-work.ts';
import {
  addWorkflow,
  findWorkflow,
  listWorkflowRows,
  markWorkflowDeleted,
  setWorkflowMaker,
  updateWorkflow,
} from './queries.ts';
import type { NewWorkflow, Workflow, WorkflowChanges } from './schema.ts';

/**
 * With a graph, version 1 is created in the same step. An invalid graph may be saved as a draft.
 */
export function createWorkflow(
  db: Db,
  caller: Caller,
  settings: Omit<NewWorkflow, 'graph'>,
  graph: GraphText | undefined,
): Promise<Workflow> {
  return db.transaction(async (tx) => {
    const workflow = await addWorkflow(tx, caller.tenant_id, caller.user_id, settings);
    if (!graph) return workflow;
    const version = await addDraft(tx, caller, workflow.id, graph);
    return { ...workflow, latest_version_id: version.id };
  });
}

export function listWorkflows(db: Db, caller: Caller, page: Page) {
  return listWorkflowRows(db, caller.tenant_id, page);
}

export async function getWorkflow(db: Db, caller: Caller, id: number): Promise<Workflow> {
  const workflow = await findWorkflow(db, caller.tenant_id, id);
  if (!workflow) throw notFound('Workflow');
  return workflow;
}

export async function changeWorkflow(
  db: Db,
  caller: Caller,
  id: number,
  changes: WorkflowChanges,
): Promise<Workflow> {
  await requireCreator(db, caller, id);
  const workflow = await updateWorkflow(db, caller.tenant_id, id, changes);
  if (!workflow) throw notFound('Workflow');
  return workflow;
}

/** Hides the workflow; its runs, their outputs and charges stay. */
export async function deleteWorkflow(db: Db, caller: Caller, id: number): Promise<void> {
  await db.transaction(async (tx) => {
    await requireCreator(tx, caller, id);
    await markWorkflowDeleted(tx, caller.tenant_id, id);
    await recordEvent(tx, caller, {
      action: 'workflow.deleted',
      target_type: 'workflow',
      target_id: id,
    });
  });
}

/** Makes workflows of a user another's. @returns their ids. */
export async function takeOverWorkflowsOf(
  tx: Db,
  change: { tenant_id: number; from: number; to: number },
): Promise<number[]> {
  const taken = await setWorkflowMaker(tx, change);
  return taken.map(({ id }) => id);
}

/** @throws DomainError 404, or 403 unless the caller created it or is an admin. */
export async function requireCreator(
  db: Db,
  caller: Caller,
  workflowId: number,
): Promise<Workflow> {
  const workflow = await getWorkflow(db, caller, workflowId);
  if (workflow.created_by !== caller.user_id && caller.role !== 'admin') {
    throw forbidden('Only whoever created this workflow, or an administrator, may do this.');
  }
  return workflow;
}
