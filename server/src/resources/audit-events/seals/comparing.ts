/** Compares a block with its seal and with its events. */
import type { Db } from '../../../db/connection.ts';
import { type BlockRow, type EventHash, findBlocks, findHashes } from './queries.ts';
import type { AuditFault } from './schema.ts';
import { cutSealOf, type Head, hashBytes, isSame, late_ms, sealOf } from './seals.ts';

export const blocksAtOnce = 50;

type Events = ReadonlyMap<number, EventHash>;

/** The next blocks of a tenant up to this number, with what their events say now. */
export async function readPortion(
  db: Db,
  tenantId: number,
  head: Head,
  last = Number.MAX_SAFE_INTEGER,
): Promise<{ blocks: BlockRow[]; events: Events }> {
  const blocks = await findBlocks(db, tenantId, { after: head.number, last, limit: blocksAtOnce });
  const upTo = Math.max(...blocks.map(({ last_id }) => last_id), head.last_id);
  const rows = blocks.length === 0 ? [] : await findHashes(db, tenantId, head.last_id, upTo);
  return { blocks, events: new Map(rows.map((event) => [event.id, event])) };
}

/**
 * What is wrong with a block and its events, and how many of them were sealed late.
 *
 * @param before the block before it.
 */
export function compareBlock(
  key: Buffer,
  block: BlockRow,
  before: Head,
  events: Events,
): { faults: AuditFault[]; late: number } {
  const { event_ids = [], sealed_at } = block;
  const timely_ms = Date.parse(sealed_at) - late_ms;
  return {
    faults: [...faultsOf(key, block, before), ...faultsOfEvents(block, events)],
    late: event_ids.filter((id) => (events.get(id)?.created_ms ?? Infinity) < timely_ms).length,
  };
}

/** What is wrong with a block, whatever its events say by now. */
function faultsOf(key: Buffer, block: BlockRow, before: Head): AuditFault[] {
  const { number, after_id, previous, seal, cut_seal, event_ids, event_hashes } = block;
  const changed = { fault: 'block_changed' as const, block: number };
  if (cut_seal !== undefined) {
    // Only the oldest may be without its events.
    const isOurs = before.number === 0 && isSame(cut_seal, cutSealOf(key, block));
    return isOurs ? [] : [changed];
  }
  if (event_ids === undefined || event_hashes === undefined) return [changed];
  const faults: AuditFault[] = [];
  if (number !== before.number + 1)
    faults.push({ fault: 'block_missing', block: before.number + 1 });
  const isIntact = isSame(seal, sealOf(key, { ...block, event_ids, event_hashes }));
  const follows = after_id === before.last_id && isSame(previous, before.seal);
  if (!isIntact || (number === before.number + 1 && !follows)) faults.push(changed);
  return faults;
}

/** The events that differ from what a block has of them. */
function faultsOfEvents(block: BlockRow, events: Events): AuditFault[] {
  const { number, last_id, cut_seal, event_ids = [], event_hashes = new Uint8Array() } = block;
  const after_id = cut_seal === undefined ? block.after_id : 0;
  const about = (fault: AuditFault['fault'], event_id: number) => ({
    ...{ fault, block: number, event_id },
  });
  const faults: AuditFault[] = [];
  for (const [place, id] of event_ids.entries()) {
    const hash = events.get(id)?.hash;
    const sealed = event_hashes.subarray(place * hashBytes, (place + 1) * hashBytes);
    if (!hash) faults.push(about('event_missing', id));
    else if (!isSame(hash, sealed)) faults.push(about('event_changed', id));
  }
  const known = new Set(event_ids);
  for (const id of events.keys())
    if (id > after_id && id <= last_id && !known.has(id)) faults.push(about('event_added', id));
  return faults;
}
