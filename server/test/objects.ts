/** Helpers for single objects in tests. */
import type { Db } from '../src/db/connection.ts';
import { type RecordedObject, requireLive, requireRecorded } from '../src/objects/objects.ts';
import type { ObjectRow } from '../src/objects/queries.ts';

/** Records one pending object. */
export async function recordObject(
  db: Db,
  tenantId: number,
  expiresInSeconds: number,
): Promise<RecordedObject> {
  return requireRecorded(db, tenantId, 0, expiresInSeconds);
}

/** Makes a stored object live. @returns it. @throws DomainError 409 `object_expired` */
export async function objectGoesLive(db: Db, tenant_id: number, id: number): Promise<ObjectRow> {
  await db.transaction((tx) => requireLive(tx, [{ tenant_id, id }]));
  const [row] = await db<ObjectRow[]>`
    select * from objects where tenant_id = ${tenant_id} and id = ${id}
  `;
  return row as ObjectRow;
}
