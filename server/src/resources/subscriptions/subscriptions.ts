/** What a tenant may use and has used. */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { readUsage } from '../../objects/quota.ts';
import type { Subscription } from './schema.ts';

/** Every user of the tenant may see it. */
export async function getSubscription(db: Db, { tenant_id }: Caller): Promise<Subscription> {
  const { used_bytes, limit_bytes } = await readUsage(db, tenant_id);
  return {
    storage_used_bytes: used_bytes,
    ...(limit_bytes === undefined ? {} : { storage_limit_bytes: limit_bytes }),
  };
}
