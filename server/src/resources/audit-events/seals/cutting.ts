/** Removes events that are older than they are to be kept, whole blocks at a time. */
import type { Db } from '../../../db/connection.ts';
import type { Services } from '../../../services.ts';
import { recordEvent } from '../audit-events.ts';
import { compareBlock, readPortion } from './comparing.ts';
import { cutUpTo, findExtent, lockOldBlock, type OldBlock } from './queries.ts';
import type { AuditFault } from './schema.ts';
import { sealingKey } from './sealing.ts';
import { cutSealOf, type Head, noBlock } from './seals.ts';

const day_ms = 86_400_000;

type Cut = {
  /** For how many days events are kept. */
  days: number;
  now: Date;
  /** Tenants whose old events are not removed; those whose events were changed are added. */
  refused: Set<number>;
};

/**
 * The last block that goes stays, without its events and with a seal that we removed them, so the
 * rest still verifies. If a block that would go does not verify, nothing of its tenant goes: it would
 * be the end of the only trace of a change, and the age of a block is believed by its seal only.
 *
 * @returns how many events it removed, all of one tenant.
 */
export async function cutOldEvents(
  { db, keys, log }: { db: Db } & Pick<Services, 'keys' | 'log'>,
  { days, now = new Date(), refused = new Set() }: Pick<Cut, 'days'> & Partial<Cut>,
): Promise<number> {
  const key = sealingKey(keys);
  for (;;) {
    const done = await db.transaction((tx) => cutOneTenant(tx, key, { days, now, refused }));
    if (typeof done === 'number') return done;
    refused.add(done.tenant_id);
    log.error(done, 'old audit events are kept, because somebody changed them in the database');
  }
}

async function cutOneTenant(tx: Db, key: Buffer, { days, now, refused }: Cut) {
  const before = new Date(now.getTime() - days * day_ms);
  const last = await lockOldBlock(tx, before, [...refused]);
  if (!last) return 0;
  const { tenant_id, sealed_at } = last;
  const { oldest } = await findExtent(tx, tenant_id);
  const fault = await findFault(tx, key, last, before);
  if (fault) {
    // Another process may have removed some meanwhile.
    const { oldest: oldestNow } = await findExtent(tx, tenant_id);
    return oldestNow === oldest ? { tenant_id, ...fault } : 0;
  }
  const events = await cutUpTo(tx, last, cutSealOf(key, last));
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
}

type Fault = AuditFault | { fault: 'block_too_new'; block: number };

/** The first thing that is wrong with a block or with those before it. */
async function findFault(
  tx: Db,
  key: Buffer,
  last: OldBlock,
  before: Date,
): Promise<Fault | undefined> {
  for (let head: Head = noBlock; head.number < last.number; ) {
    const { blocks, events } = await readPortion(tx, last.tenant_id, head, last.number);
    if (blocks.length === 0) return { fault: 'block_missing', block: last.number };
    for (const block of blocks) {
      const [fault] = compareBlock(key, block, head, events).faults;
      if (fault) return fault;
      const created = (block.event_ids ?? []).map((id) => events.get(id)?.created_ms ?? 0);
      const isNew = [Date.parse(block.sealed_at), ...created].some((ms) => ms >= before.getTime());
      if (isNew) return { fault: 'block_too_new', block: block.number };
      head = block;
    }
  }
  return undefined;
}
