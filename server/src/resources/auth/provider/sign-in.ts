/**
 * Signing in with a password. A refusal never reveals whether the address is known: its words, its
 * work and its duration are the same.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../../db/connection.ts';
import { recordEvent } from '../../audit-events/audit-events.ts';
import { embeddedIssuer, findUserByEmail, findUserBySubject } from '../../users/users.ts';
import { faultOfPassword, passwordMatches, replacePassword } from '../passwords.ts';
import { findPassword } from '../queries.ts';
import type { Guess, Throttle } from '../throttle.ts';

export type SignInResult =
  | { outcome: 'signed_in' | 'must_change'; subject: string; email: string; hash: string }
  | { outcome: 'refused' | 'busy' }
  | { outcome: 'throttled'; wait_s: number };

/** Minimum duration of a refusal, so that the extra write for a known user is not measurable. */
const refusal_ms = 250;

export async function signIn(
  db: Db,
  throttle: Throttle,
  credentials: { email: string; password: string },
  { address, device }: Pick<Guess, 'address' | 'device'>,
): Promise<SignInResult> {
  // No address contains the one character that the database refuses.
  const email = credentials.email.replaceAll('\0', '').trim();
  const guess = { account: email, address, device };
  const wait_s = await throttle.guess(guess);
  if (wait_s > 0) return { outcome: 'throttled', wait_s };

  const floor = delay(refusal_ms);
  const user = await findUserByEmail(db, embeddedIssuer, email);
  const stored = user && (await findPassword(db, user.id));
  const matches = await throttle.inTurn(guess, () =>
    passwordMatches(stored?.hash, credentials.password),
  );
  if (matches === undefined) {
    await throttle.takeBack(guess);
    return { outcome: 'busy' };
  }
  if (!user || !stored || !matches || user.status !== 'active') {
    if (user) {
      await recordEvent(
        db,
        { tenant_id: user.tenant_id },
        {
          action: 'user.sign_in_failed',
          target_type: 'user',
          target_id: user.id,
          details: { address },
        },
      );
    }
    await floor;
    return { outcome: 'refused' };
  }

  await throttle.forgive(guess);
  const shown = { subject: user.subject, email: user.email, hash: stored.hash };
  if (stored.must_change) {
    return { outcome: 'must_change', ...shown };
  }
  const actor = { tenant_id: user.tenant_id, user_id: user.id };
  await recordEvent(db, actor, {
    action: 'user.signed_in',
    target_type: 'user',
    target_id: user.id,
    details: { address },
  });
  return { outcome: 'signed_in', ...shown };
}

/** Replaces a one-time password. @returns the fault of the new one, or undefined on success. */
export async function choosePassword(
  db: Db,
  subject: string,
  chosen: { password: string; repeated: string },
): Promise<string | undefined> {
  const user = await findUserBySubject(db, embeddedIssuer, subject);
  if (user?.status !== 'active') return 'This sign-in has ended. Start again.';
  const fault = faultOfPassword(user, chosen.password);
  if (fault) return fault;
  if (chosen.password !== chosen.repeated) return 'The two passwords are not the same.';
  const stored = await findPassword(db, user.id);
  if (await passwordMatches(stored?.hash, chosen.password)) {
    return 'Choose a password other than the one-time password.';
  }
  await replacePassword(db, user, chosen.password);
  return undefined;
}
