/**
 * The seals of blocks of events: keyed hashes, each over the one before. Pure. The key is derived
 * from the installation's, so the database alone is not enough to make one.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const hashBytes = 32;

/** Events that are sealed later than this after they happened are told of. */
export const late_ms = 3_600_000;

/** What the first block of a tenant follows. */
export const noBlock = { number: 0, last_id: 0, seal: Buffer.alloc(hashBytes) };

export type Head = { number: number; last_id: number; seal: Uint8Array };

/** What a block seals. */
export type Sealing = {
  tenant_id: number;
  number: number;
  after_id: number;
  last_id: number;
  /** When, by the clock of the process that sealed it: the database cannot tell another time. */
  sealed_at: string;
  event_ids: readonly number[];
  event_hashes: Uint8Array;
  previous: Uint8Array;
};

export const sealOf = (key: Buffer, block: Sealing): Buffer => {
  const { tenant_id, number, after_id, last_id, sealed_at, event_ids } = block;
  // Before the bytes, so that their lengths are told by the text.
  const text = JSON.stringify([
    ...['block', tenant_id, number, after_id, last_id, Date.parse(sealed_at)],
    event_ids,
  ]);
  return createHmac('sha256', key)
    .update(text)
    .update(block.previous)
    .update(block.event_hashes)
    .digest();
};

/** That we removed the events of a block and of all before it. */
export const cutSealOf = (
  key: Buffer,
  { tenant_id, number, last_id, sealed_at, seal }: Head & Pick<Sealing, 'tenant_id' | 'sealed_at'>,
): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify(['cut', tenant_id, number, last_id, Date.parse(sealed_at)]))
    .update(seal)
    .digest();

export const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
