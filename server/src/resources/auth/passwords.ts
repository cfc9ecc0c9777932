/** Passwords of the embedded provider: argon2id, one-time passwords, and changes. */
import { randomInt } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { Db } from '../../db/connection.ts';
import { badField, conflict, forbidden } from '../../errors.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { findUser } from '../users/users.ts';
import { minPasswordLength } from './provider/pages.ts';
import { endSessionsOf } from './provider/store.ts';
import { findPassword, removePassword, savePassword } from './queries.ts';

/**
 * A hash that matches no password, at the cost of a real one (the library's default parameters).
 */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$E2bvat5hAjImkZNq2RQ4NA$9LPxffrt/lFPDn8oZiXyNKFO6dVt1doYVQbC6Y4LIK8';

/** Whether the password is right. Without a hash it does the same work and returns false. */
export async function passwordMatches(
  stored: string | undefined,
  password: string,
): Promise<boolean> {
  const matches = await verify(stored ?? nobodysHash, password);
  return matches && stored !== undefined;
}

export async function setPassword(
  db: Db,
  userId: number,
  password: string,
  { must_change = false } = {},
): Promise<void> {
  await savePassword(db, userId, await hash(password), must_change);
}

/** Stores what was hashed before the transaction: hashing takes long. */
export async function storePasswordHash(db: Db, userId: number, hashed: string): Promise<void> {
  await savePassword(db, userId, hashed, false);
}

/** Of a user who is removed. */
export async function forgetPassword(db: Db, userId: number): Promise<void> {
  await removePassword(db, userId);
}

/** A password to read out or copy: 80 bits in four groups, without similar letters. */
export function newOneTimePassword(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789x';
  const group = () => Array.from({ length: 4 }, () => alphabet[randomInt(32)]).join('');
  return Array.from({ length: 4 }, group).join('-');
}

type User = { id: number; tenant_id: number; email: string; subject: string };

/** Why a password is not acceptable, as a sentence, or undefined. */
export function faultOfPassword(user: { email: string }, password: string): string | undefined {
  if (password.length < minPasswordLength) {
    return `Choose a password of at least ${minPasswordLength} characters.`;
  }
  if (password.length > 200) return 'Choose a password of at most 200 characters.';
  if (password.toLowerCase() === user.email.toLowerCase()) {
    return 'Choose a password that is not your e-mail address.';
  }
  return undefined;
}

/** Replaces the password and ends every session except `keptSession`, with its refresh tokens. */
export async function replacePassword(
  db: Db,
  user: User,
  password: string,
  keptSession?: string,
): Promise<void> {
  const actor = { tenant_id: user.tenant_id, user_id: user.id };
  await db.transaction(async (tx) => {
    await setPassword(tx, user.id, password);
    await endSessionsOf(tx, user.subject, keptSession);
    await recordEvent(tx, actor, {
      action: 'user.password_changed',
      target_type: 'user',
      target_id: user.id,
    });
  });
}

export type PasswordChange = { current_password: string; new_password: string };

/**
 * Changes the signed-in user's password. `keptSession` is the browser session of the request.
 *
 * @throws DomainError 403 `wrong_password`, 409 `no_password` for users of an external provider.
 */
export async function changePassword(
  db: Db,
  { tenant_id, user_id }: { tenant_id: number; user_id: number },
  { current_password, new_password }: PasswordChange,
  keptSession: string | undefined,
): Promise<void> {
  const [user, stored] = await Promise.all([
    findUser(db, tenant_id, user_id),
    findPassword(db, user_id),
  ]);
  if (!user || !stored) {
    throw conflict(
      'no_password',
      'Your password is kept by your identity provider; change it there.',
    );
  }
  if (!(await passwordMatches(stored.hash, current_password))) {
    throw forbidden('The current password is wrong.', 'wrong_password');
  }
  const fault = faultOfPassword(user, new_password);
  if (fault) throw badField('new_password', fault);
  await replacePassword(db, user, new_password, keptSession);
}
