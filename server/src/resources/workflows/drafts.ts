/** How a draft comes to be: numbered, hashed, the latest of its workflow. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '@cogworks/graph/hash';
import type { Graph } from '@cogworks/graph/types';
import type { Db } from '../../db/connection.ts';
import type { Caller } from '../../services.ts';
import { addVersion, lockWorkflow, type VersionRow } from './queries.ts';

/** The caller of this function has checked that the workflow is the caller's to change. */
export async function addDraft(
  tx: Db,
  caller: Caller,
  workflowId: number,
  graph: Graph,
): Promise<VersionRow> {
  await lockWorkflow(tx, caller.tenant_id, workflowId);
  return addVersion(tx, caller.tenant_id, workflowId, caller.user_id, graph, hashOf(graph));
}

/** SHA-256 of the graph as canonical JSON (RFC 8785): equal graphs have equal hashes. */
export const hashOf = (graph: Graph) =>
  createHash('sha256').update(canonicalJson(graph)).digest('hex');
