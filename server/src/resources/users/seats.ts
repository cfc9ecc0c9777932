/**
 * Seats: how many people a tenant may have. Active users and open invitations take one each, so that
 * whoever is invited finds room. A limit that is lowered keeps nobody out who has one.
 */
import type { Db } from '../../db/connection.ts';
import { quotaExceeded } from '../../errors.ts';
import { findSeats } from './queries.ts';

export const readSeats = (db: Db, tenantId: number) => findSeats(db, tenantId);

/**
 * Checks that there is room for one more. The tenant must be locked, until the seat is taken.
 *
 * @throws DomainError 403 `quota_exceeded`
 */
export async function requireSeat(tx: Db, tenantId: number): Promise<void> {
  const { seats_used, seats_limit } = await findSeats(tx, tenantId);
  if (seats_limit === undefined || seats_used < seats_limit) return;
  throw quotaExceeded(
    `All ${seats_limit} seats of your organization are taken: ${seats_used} by active users and open invitations.`,
    { quota: 'seats', limit: seats_limit, used: seats_used, requested: 1 },
  );
}
