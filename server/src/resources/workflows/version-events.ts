/** The ETag of a version, and what watchers of the tenant are told when it changes. */
import type { Transaction } from '../../db/transaction.ts';
import { addVersionEvent } from '../../engine/tables/run-events.ts';
import type { VersionRow } from './queries.ts';

/** The `ETag` of a version: changes with every edit of the draft. */
export const etagOf = (version: Pick<VersionRow, 'id' | 'revision'>): string =>
  `"${version.id}-${version.revision}"`;

/** Tells watchers with the commit: an open editor knows by the ETag whether it is its own change. */
export async function tellOfVersion<Row extends VersionRow>(
  tx: Transaction,
  version: Row,
): Promise<Row> {
  const { tenant_id, id, workflow_id, version_number, state } = version;
  const etag = etagOf(version);
  await addVersionEvent(tx, tenant_id, { id, workflow_id, version_number, state, etag });
  return version;
}
