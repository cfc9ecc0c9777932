/** What a tenant may use and has used. */
import type { Caller } from '../../callers.ts';
import { readCredits } from '../../credits/accounts.ts';
import type { Db } from '../../db/connection.ts';
import { readUsage } from '../../objects/quota.ts';
import { readSeats } from '../users/seats.ts';
import type { Subscription } from './schema.ts';

/** Every user of the tenant may see it. */
export async function getSubscription(db: Db, { tenant_id }: Caller): Promise<Subscription> {
  const [{ plan, ...credits }, { used_bytes, limit_bytes }, seats] = await Promise.all([
    readCredits(db, tenant_id, new Date()),
    readUsage(db, tenant_id),
    readSeats(db, tenant_id),
  ]);
  return {
    plan: { name: plan },
    ...credits,
    storage_used_bytes: used_bytes,
    ...(limit_bytes === undefined ? {} : { storage_limit_bytes: limit_bytes }),
    ...seats,
  };
}
