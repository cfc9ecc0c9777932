/** The tenant's root folder, My Files, made by the first who needs it. */
import type { Db } from '../../db/connection.ts';
import type { Caller } from '../../services.ts';
import { addRoot, findRootId } from './queries.ts';

/** Its id; it is made when there is none. */
export async function rootId(
  db: Db,
  { tenant_id, user_id }: Pick<Caller, 'tenant_id' | 'user_id'>,
): Promise<number> {
  const found = await findRootId(db, tenant_id);
  if (found !== undefined) return found;
  await addRoot(db, tenant_id, 'My Files', user_id);
  const made = await findRootId(db, tenant_id);
  if (made === undefined) throw new Error(`Tenant ${tenant_id} has no root folder.`);
  return made;
}
