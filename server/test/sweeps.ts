/** Sweeps of an installation in which all is well, but for what the test has broken. */
import type { Db } from '../src/db/connection.ts';
import { giveUpLostAttempts } from '../src/engine/duties/lost-attempts.ts';
import type { Services } from '../src/services.ts';

/** As if the last sweep and every worker's heartbeat were a moment ago, however slow the test is. */
export async function everybodyIsHeard(db: Db): Promise<void> {
  await db`update engine_sweep set swept_at = now()`;
  await db`update workers set last_heartbeat_at = now()`;
}

/** A sweep that nothing but leases speaks against. @returns how many attempts were given up. */
export async function sweepInPeace(services: Services): Promise<number> {
  await everybodyIsHeard(services.db);
  return giveUpLostAttempts(services);
}
