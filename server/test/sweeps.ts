/** Sweeps of a healthy installation, except for what the test has broken. */
import type { Db } from '../src/db/connection.ts';
import { giveUpLostAttempts } from '../src/engine/duties/lost-attempts.ts';
import type { Services } from '../src/services.ts';

/** Sets the last sweep and every worker's heartbeat to now, however slow the test is. */
export async function everybodyIsHeard(db: Db): Promise<void> {
  await db`update engine_sweep set swept_at = now()`;
  await db`update workers set last_heartbeat_at = now()`;
}

/** A sweep in which only leases decide. @returns how many attempts were given up. */
export async function sweepInPeace(services: Services): Promise<number> {
  await everybodyIsHeard(services.db);
  return giveUpLostAttempts(services);
}
