/** Removes events that are older than they are to be kept, whole blocks at a time. */
import type { Db } from '../../../db/connection.ts';
import type { Services } from '../../../services.ts';
import { recordEvent } from '../audit-events.ts';
import { cutUpTo, lockOldBlock } from './queries.ts';
import { sealingKey } from './sealing.ts';
import { cutSealOf } from './seals.ts';

/**
 * The last block that goes stays, without its events and with a seal that we removed them, so the
 * rest still verifies.
 *
 * @returns how many events it removed, all of one tenant.
 */
export function cutOldEvents(
  { db, keys }: { db: Db } & Pick<Services, 'keys'>,
  days: number,
): Promise<number> {
  return db.transaction(async (tx) => {
    const last = await lockOldBlock(tx, days);
    if (!last) return 0;
    const events = await cutUpTo(tx, last, cutSealOf(sealingKey(keys), last));
    const { tenant_id, sealed_at } = last;
    await recordEvent(
      tx,
      { tenant_id },
      {
        action: 'audit_events.removed',
        target_type: 'audit_events',
        details: { events, until: sealed_at, days },
      },
    );
    return events;
  });
}
