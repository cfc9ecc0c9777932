/** Creates drafts: numbered, hashed, the latest version of their workflow. */

import type { Caller } from '../../callers.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { GraphText } from './graph-work.ts';
import { addVersion, lockWorkflow, type ShownVersionRow } from './queries.ts';
import { tellOfVersion } from './version-events.ts';

/** The caller has checked the right to change the workflow. */
export async function addDraft(
  tx: Transaction,
  caller: Caller,
  workflowId: number,
  graph: GraphText,
): Promise<ShownVersionRow> {
  await lockWorkflow(tx, caller.tenant_id, workflowId);
  return tellOfVersion(
    tx,
    caller,
    await addVersion(tx, caller.tenant_id, workflowId, caller.user_id, graph),
  );
}
