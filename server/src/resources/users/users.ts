/**
 * Tenants and the people in them. How they prove who they are is sign-in's (auth/); here they
 * only exist.
 */
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
  type UserRow,
  updateNames,
} from './queries.ts';

export type { UserRow };
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
};

/**
 * The issuer of users of the embedded provider, in the database. A word instead of the URL,
 * so that they stay who they are when BASE_URL changes.
 */
export const embeddedIssuer = 'embedded';

/** @returns the new tenant's id. It has a key of its own, and nobody in it yet. */
export function createTenant(db: Db, keys: Keys, name: string): Promise<number> {
  return db.transaction(async (tx) => addTenant(tx, name, await keys.newTenantKey(tx)));
}

/**
 * Adds a user of the embedded provider, unless another issuer and subject are given.
 *
 * @throws DomainError 409 `email_taken` when somebody signs in with that address already.
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
