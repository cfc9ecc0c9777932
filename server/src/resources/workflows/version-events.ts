/** The ETag of a version, and what watchers of the tenant are told when it changes. */
import type { Caller } from '../../callers.ts';
import type { Transaction } from '../../db/transaction.ts';
import { addVersionEvent } from '../../engine/tables/run-events.ts';
import type { VersionRow } from './queries.ts';

/** The `ETag` of a version: changes with every edit of the draft. */
export const etagOf = (version: Pick<VersionRow, 'id' | 'revision'>): string =>
  `"${version.id}-${version.revision}"`;

/**
 * Tells watchers with the commit. An open editor knows by the ETag whether it has this state, by the
 * hashes whether more than the drawing changed, and by `changed_by` whom to name. Every member of
 * the tenant may see every workflow.
 */
export async function tellOfVersion<Row extends VersionRow>(
  tx: Transaction,
  caller: Caller,
  version: Row,
): Promise<Row> {
  const { tenant_id, id, workflow_id, version_number, state, graph_hash, logic_hash } = version;
  await addVersionEvent(tx, tenant_id, {
    ...{ id, workflow_id, version_number, state, graph_hash, logic_hash },
    etag: etagOf(version),
    changed_by: caller.user_id,
  });
  return version;
}
