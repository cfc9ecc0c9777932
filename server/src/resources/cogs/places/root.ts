/** The tenant's root folder, My Files, created on first use. */

import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { addRoot, findRootId } from '../queries.ts';

type Who = Pick<Caller, 'tenant_id' | 'user_id'>;

/** Its id; created if it does not exist. */
export function rootId(db: Db, who: Who): Promise<number> {
  return ofRoot(db, who, () => findRootId(db, who.tenant_id));
}

/** The result of `find` for it; created if it does not exist. */
export async function ofRoot<Found>(
  db: Db,
  { tenant_id, user_id }: Who,
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  const found = await find();
  if (found !== undefined) return found;
  await addRoot(db, tenant_id, 'My Files', user_id);
  const made = await find();
  if (made === undefined) throw new Error(`Tenant ${tenant_id} has no root folder.`);
  return made;
}
