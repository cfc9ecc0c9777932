/** Log retention: limits the age of logs and the bytes per tenant. */
import type { Db } from '../../db/connection.ts';
import { findFirstLogs, findHeavyTenants, findOldLogs, removeLogs } from '../tables/logs.ts';

export type LogLimits = {
  /** Days after the end of the run; 0 keeps logs for ever. */
  days: number;
  /** Bytes per tenant; 0 means no limit. */
  tenant_bytes: number;
};

/** Attempts per transaction: each may hold 10 MB in thousands of pieces. */
const batch = 100;
/** Batches per round. The rest is left for the next round, so that other duties are not delayed. */
const mostBatches = 50;

/**
 * Removes logs of runs that ended long ago, then logs of tenants above their limit, the earliest
 * ended runs first. What an attempt writes while it runs is limited elsewhere.
 *
 * @returns of how many attempts.
 */
export async function removeOldLogs(db: Db, { days, tenant_bytes }: LogLimits): Promise<number> {
  let removed = 0;
  if (days > 0) removed += await inBatches(db, (tx) => findOldLogs(tx, days, batch));
  if (tenant_bytes === 0) return removed;
  for (const { tenant_id } of await findHeavyTenants(db, tenant_bytes)) {
    removed += await inBatches(db, async (tx) => {
      const now = await findHeavyTenants(tx, tenant_bytes);
      const heavy = now.find((one) => one.tenant_id === tenant_id);
      return heavy ? findFirstLogs(tx, tenant_id, heavy.excess, batch) : [];
    });
  }
  return removed;
}

async function inBatches(db: Db, find: (tx: Db) => Promise<number[]>): Promise<number> {
  let removed = 0;
  for (let batches = 0; batches < mostBatches; batches += 1) {
    const found = await db.transaction(async (tx) => {
      const ids = await find(tx);
      if (ids.length > 0) await removeLogs(tx, ids);
      return ids.length;
    });
    if (found === 0) break;
    removed += found;
  }
  return removed;
}
