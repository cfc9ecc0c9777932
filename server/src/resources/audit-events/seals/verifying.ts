/** Compares events with the blocks that seal them, and names what differs. */
import type { Db } from '../../../db/connection.ts';
import {
  type BlockRow,
  findBlocks,
  findExtent,
  findHashes,
  findHead,
  findTenants,
  findUnsealed,
} from './queries.ts';
import type { AuditFault, AuditVerification } from './schema.ts';
import { cutSealOf, type Head, hashBytes, isSame, noBlock, sealOf } from './seals.ts';

const blocksAtOnce = 50;
const mostFaults = 100;

export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** All tenants that have events. */
export const tenantsWithEvents = (db: Db): Promise<number[]> => findTenants(db);

/** The last block of a tenant. */
export async function headOf(db: Db, tenantId: number) {
  const last = await findHead(db, tenantId);
  return { head: textOf(last ?? noBlock), ...(last && { sealed_at: last.sealed_at }) };
}

/**
 * @param kept a head that somebody kept outside of the database: it is looked for, because whoever removes the last blocks together with their events
 *   leaves no trace but that.
 * @param inTurn runs each portion when it is its turn: all together may take minutes.
 */
export async function verifyEvents(
  db: Db,
  key: Buffer,
  tenantId: number,
  kept: string | undefined,
  inTurn: InTurn = (work) => work(),
): Promise<AuditVerification> {
  for (;;) {
    // Before the blocks: all events up to here are in blocks by now, what is sealed meanwhile is not.
    const before = await inTurn(() => findExtent(db, tenantId));
    const found = await compareAll(db, key, tenantId, kept, before.sealed_to, inTurn);
    if (found.is_intact) return found;
    // Events that were removed meanwhile because of their age seem to be missing.
    const after = await inTurn(() => findExtent(db, tenantId));
    if (after.oldest === before.oldest) return found;
  }
}

async function compareAll(
  db: Db,
  key: Buffer,
  tenantId: number,
  kept: string | undefined,
  sealedTo: number,
  inTurn: InTurn,
): Promise<AuditVerification> {
  const told = { blocks: 0, events: 0, faults: [] as AuditFault[] };
  let head: Head = noBlock;
  const keptNumber = kept === undefined ? undefined : Number.parseInt(kept, 10);
  let kept_head = kept === undefined ? undefined : compared(noBlock, kept);
  for (let more = true; more; ) {
    const { blocks, hashes } = await inTurn(() => readPortion(db, tenantId, head));
    for (const block of blocks) {
      told.faults.push(...faultsOf(key, block, head), ...faultsOfEvents(block, hashes));
      if (kept !== undefined && block.number === keptNumber) kept_head = compared(block, kept);
      const isRemoved = block.cut_seal !== undefined && block.number > (keptNumber ?? Infinity);
      if (isRemoved && kept_head === 'differs') kept_head = 'removed';
      told.blocks += 1;
      told.events += block.event_ids?.length ?? 0;
      head = block;
    }
    more = blocks.length === blocksAtOnce;
  }
  const { overdue, fresh } = await inTurn(() =>
    findUnsealed(db, tenantId, { after: head.last_id, sealedTo, most: mostFaults }),
  );
  told.faults.push(...overdue.map((event_id) => ({ fault: 'event_added' as const, event_id })));
  return {
    is_intact: told.faults.length === 0 && kept_head !== 'differs',
    ...{ blocks: told.blocks, events: told.events, unsealed_events: fresh },
    ...(kept_head !== undefined && { kept_head }),
    faults: told.faults.slice(0, mostFaults),
  };
}

type Hashes = ReadonlyMap<number, Uint8Array>;

async function readPortion(
  db: Db,
  tenantId: number,
  head: Head,
): Promise<{ blocks: BlockRow[]; hashes: Hashes }> {
  const blocks = await findBlocks(db, tenantId, head.number, blocksAtOnce);
  const upTo = Math.max(...blocks.map(({ last_id }) => last_id), head.last_id);
  const rows = blocks.length === 0 ? [] : await findHashes(db, tenantId, head.last_id, upTo);
  return { blocks, hashes: new Map(rows.map(({ id, hash }) => [id, hash])) };
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
function faultsOfEvents(block: BlockRow, hashes: Hashes): AuditFault[] {
  const { number, last_id, cut_seal, event_ids = [], event_hashes = new Uint8Array() } = block;
  const after_id = cut_seal === undefined ? block.after_id : 0;
  const about = (fault: AuditFault['fault'], event_id: number) => ({
    ...{ fault, block: number, event_id },
  });
  const faults: AuditFault[] = [];
  for (const [place, id] of event_ids.entries()) {
    const hash = hashes.get(id);
    const sealed = event_hashes.subarray(place * hashBytes, (place + 1) * hashBytes);
    if (!hash) faults.push(about('event_missing', id));
    else if (!isSame(hash, sealed)) faults.push(about('event_changed', id));
  }
  const known = new Set(event_ids);
  for (const id of hashes.keys())
    if (id > after_id && id <= last_id && !known.has(id)) faults.push(about('event_added', id));
  return faults;
}

const compared = (head: Head, kept: string): AuditVerification['kept_head'] =>
  textOf(head) === kept ? 'fits' : 'differs';

const textOf = ({ number, seal }: Head) => `${number}:${Buffer.from(seal).toString('hex')}`;
