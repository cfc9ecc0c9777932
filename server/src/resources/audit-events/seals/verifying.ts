/** Compares events with the blocks that seal them, and names what differs. */
import type { Db } from '../../../db/connection.ts';
import { blocksAtOnce, compareBlock, readPortion } from './comparing.ts';
import { findExtent, findHead, findTenants, findUnsealed } from './queries.ts';
import type { AuditFault, AuditVerification, LateBlock } from './schema.ts';
import { type Head, noBlock } from './seals.ts';

const mostTold = 100;

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
  const told = { blocks: 0, events: 0, late_events: 0 };
  const faults: AuditFault[] = [];
  const late_blocks: LateBlock[] = [];
  let head: Head = noBlock;
  const keptNumber = kept === undefined ? undefined : Number.parseInt(kept, 10);
  let kept_head = kept === undefined ? undefined : compared(noBlock, kept);
  for (let more = true; more; ) {
    const { blocks, events } = await inTurn(() => readPortion(db, tenantId, head));
    for (const block of blocks) {
      const found = compareBlock(key, block, head, events);
      faults.push(...found.faults);
      if (found.late > 0)
        late_blocks.push({ block: block.number, sealed_at: block.sealed_at, events: found.late });
      told.late_events += found.late;
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
    findUnsealed(db, tenantId, { after: head.last_id, sealedTo, most: mostTold }),
  );
  faults.push(...overdue.map((event_id) => ({ fault: 'event_added' as const, event_id })));
  return {
    is_intact: faults.length === 0 && kept_head !== 'differs',
    ...told,
    unsealed_events: fresh,
    ...(kept_head !== undefined && { kept_head }),
    faults: faults.slice(0, mostTold),
    late_blocks: late_blocks.slice(0, mostTold),
  };
}

const compared = (head: Head, kept: string): AuditVerification['kept_head'] =>
  textOf(head) === kept ? 'fits' : 'differs';

const textOf = ({ number, seal }: Head) => `${number}:${Buffer.from(seal).toString('hex')}`;
