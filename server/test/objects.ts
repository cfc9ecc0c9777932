/** Objects as tests need them: one at a time. */
import type { Db } from '../src/db/connection.ts';
import { type RecordedObject, recordObjects } from '../src/objects/objects.ts';

/** Records one pending object. */
export async function recordObject(
  db: Db,
  tenantId: number,
  expiresInSeconds: number,
): Promise<RecordedObject> {
  const [object] = await recordObjects(db, tenantId, 1, expiresInSeconds);
  if (!object) throw new Error('No object was recorded.');
  return object;
}
