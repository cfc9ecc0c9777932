/** Tenants and their users. Authentication is in auth/; this only stores them. */
import { randomUUID } from 'node:crypto';
import { type Db, violates } from '../../db/connection.ts';
import { conflict } from '../../errors.ts';
import type { Keys } from '../../keys/keys.ts';
import {
  addTenant,
  addUser,
  claimAwaitedUser,
  countUsers,
  findTenantName,
  findUser,
  findUserByEmail,
  findUserBySubject,
  findUsersByEmail,
  lockFirstStart,
  type NewUser,
  type TenantLimits,
  type UserRow,
  updateNames,
  updateTenantLimits,
} from './queries.ts';

export type { TenantLimits, UserRow };
export {
  claimAwaitedUser,
  countUsers,
  findTenantName,
  findUser,
  findUserByEmail,
  findUserBySubject,
  findUsersByEmail,
  lockFirstStart,
  updateNames as changeNames,
  updateTenantLimits as changeTenantLimits,
};

/**
 * The stored issuer of users of the embedded provider. A constant instead of the URL, so that users
 * keep their identity when BASE_URL changes.
 */
export const embeddedIssuer = 'embedded';

/** @returns the new tenant's id. The tenant has its own key, and no users yet. */
export function createTenant(db: Db, keys: Keys, name: string): Promise<number> {
  return db.transaction(async (tx) => addTenant(tx, name, await keys.newTenantKey(tx)));
}

/**
 * Adds a user of the embedded provider, unless another issuer and subject are given.
 *
 * @throws DomainError 409 `email_taken` if a user with that address exists.
 */
export function createUser(
  db: Db,
  user: Omit<NewUser, 'issuer' | 'subject'> & Partial<Pick<NewUser, 'issuer' | 'subject'>>,
): Promise<UserRow> {
  return addUser(db, { issuer: embeddedIssuer, subject: randomUUID(), ...user }).catch(
    (error: unknown) => {
      throw violates(error, 'users_email_unique_per_issuer')
        ? conflict('email_taken', `There is already a user with the address ${user.email}.`, error)
        : error;
    },
  );
}
