/** Tenants and their users. Authentication is in auth/; this only stores them. */
import { randomUUID } from 'node:crypto';
import { type Db, violates } from '../../db/connection.ts';
import { conflict } from '../../errors.ts';
import type { Keys } from '../../keys/keys.ts';
import { findHeir } from './disabling-queries.ts';
import {
  addTenant,
  addUser,
  claimAwaitedUser,
  countUsers,
  findMember,
  findPlatformTenant,
  findTenantName,
  findUser,
  findUserByEmail,
  findUserBySubject,
  findUsersByEmail,
  lockFirstStart,
  lockTenant,
  markPlatformTenant,
  type NewUser,
  type TenantSettings,
  type UserRow,
  updateNames,
  updateSubject,
  updateTenant,
  updateVerified,
} from './queries.ts';

export type { TenantSettings, UserRow };
export {
  claimAwaitedUser,
  countUsers,
  findHeir,
  findMember,
  findPlatformTenant,
  findTenantName,
  findUser,
  findUserByEmail,
  findUserBySubject,
  findUsersByEmail,
  lockFirstStart,
  lockTenant,
  updateNames as changeNames,
  updateTenant as changeTenantSettings,
  updateVerified as noteVerified,
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
 * The tenant that has what is the installation's own, such as images for templates; made when it is
 * first needed. It has no users, and is in no list.
 */
export function requirePlatformTenant(db: Db, keys: Keys): Promise<number> {
  return db.transaction(async (tx) => {
    await lockFirstStart(tx);
    const known = await findPlatformTenant(tx);
    if (known !== undefined) return known;
    const id = await addTenant(tx, 'Platform', await keys.newTenantKey(tx));
    await markPlatformTenant(tx, id);
    return id;
  });
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

/**
 * The name of a user at the embedded provider, which is the subject of its tokens. Users of an
 * external provider have one too, because they sign in by way of the embedded one. Theirs is never
 * the subject that the other has chosen: it could choose that of somebody else.
 */
export const accountIdOf = ({ id, tenant_id, issuer, subject }: UserRow): string =>
  issuer === embeddedIssuer ? subject : externalAccountId({ id, tenant_id });

/** The same name of a user of any external provider. */
export const externalAccountId = ({ id, tenant_id }: Pick<UserRow, 'id' | 'tenant_id'>): string =>
  `user-${tenant_id}-${id}`;

/** Whether the account's sign-in is at the external provider. */
export const isExternalAccount = (accountId: string) => accountId.startsWith('user-');

export async function findUserByAccount(db: Db, accountId: string): Promise<UserRow | undefined> {
  const [, tenantId, id] = /^user-(\d{1,15})-(\d{1,15})$/.exec(accountId) ?? [];
  if (tenantId === undefined) return findUserBySubject(db, embeddedIssuer, accountId);
  const user = await findUser(db, Number(tenantId), Number(id));
  return user && accountIdOf(user) === accountId ? user : undefined;
}

/**
 * Moves a user's sign-in from the embedded provider to the external one, which has verified their
 * address.
 *
 * @returns undefined if it has moved already, or the user is not active.
 */
export const moveSignIn = (
  db: Db,
  { tenant_id, id }: Pick<UserRow, 'tenant_id' | 'id'>,
  { issuer, subject }: Pick<UserRow, 'issuer' | 'subject'>,
): Promise<UserRow | undefined> =>
  updateSubject(db, { tenant_id, id, from: embeddedIssuer, issuer, subject });
