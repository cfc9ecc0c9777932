/**
 * Which user somebody from the external provider is: the one known by (issuer, subject), or else a
 * newcomer (newcomers.ts). An address alone never opens an account that has a password: whoever
 * shows that password may move the account's sign-in to the provider.
 */
import { DomainError } from '../../../errors.ts';
import type { Services } from '../../../services.ts';
import { recordEvent } from '../../audit-events/audit-events.ts';
import {
  accountIdOf,
  embeddedIssuer,
  findUserByEmail,
  findUserBySubject,
  moveSignIn,
  noteVerified,
  type UserRow,
} from '../../users/users.ts';
import { admit, type Choice } from '../newcomers.ts';
import { endSessionsOf } from '../provider/store.ts';
import { findPassword, lockSubject, removePasswordOf } from '../queries.ts';
import { type Identity, SignInRefused } from './issuer.ts';
import type { Profile } from './profile.ts';

type Parts = Pick<Services, 'db' | 'keys'>;

/** Somebody who is new here and has to be asked, and what is needed to go on. */
export type Candidate = {
  issuer: string;
  subject: string;
  profile: Profile;
  /** Of an account that may be theirs. */
  email?: string;
};

/** Who they are, or what to ask them: whether an account is theirs, or where they want to be. */
export type Found = { user: UserRow } | { ask: 'link' | 'invitation'; candidate: Candidate };

/** @throws SignInRefused for a disabled user. */
export async function accountOf(
  parts: Parts,
  { issuer, subject, told, profile }: Identity,
): Promise<Found> {
  const known = await findUserBySubject(parts.db, issuer, subject);
  if (known) {
    if (told.email && told.email_verified && !known.email_verified)
      await noteVerified(parts.db, known, told.email);
    return { user: activeOne(known) };
  }
  const said = await profile();
  const own = said.email_verified ? await findLinkable(parts, said.email) : undefined;
  const candidate = { issuer, subject, profile: said };
  if (own) return { ask: 'link', candidate: { ...candidate, email: own.email } };
  return newcomer(parts, candidate);
}

/**
 * A subject who has no account here, or does not want to use it.
 *
 * @param choice their answer, if they were asked about invitations.
 */
export async function newcomer(
  parts: Parts,
  { issuer, subject, profile }: Candidate,
  choice?: Choice,
): Promise<Found> {
  const admitted = await admit(parts, { issuer, subject }, async () => profile, choice);
  if (admitted === 'invited') return { ask: 'invitation', candidate: { issuer, subject, profile } };
  const user = await findUserBySubject(parts.db, issuer, subject);
  if (!user) throw new DomainError('unavailable', 'Your account was just removed. Try again.');
  return { user: activeOne(user) };
}

/**
 * Moves the sign-in of an account to the provider, after its password was shown. Its sessions end,
 * and the password is forgotten.
 *
 * @param shown the hash that the password was compared with.
 * @throws SignInRefused if the account or its password has changed since.
 */
export function link(
  { db }: Parts,
  { issuer, subject, email }: Candidate & { email: string },
  shown: { hash: string },
): Promise<UserRow> {
  return db.transaction(async (tx) => {
    await lockSubject(tx, issuer, subject);
    const already = await findUserBySubject(tx, issuer, subject);
    if (already) return activeOne(already);
    const own = await findUserByEmail(tx, embeddedIssuer, email);
    const user = own && (await moveSignIn(tx, activeOne(own), { issuer, subject }));
    // Disabled, moved, or given another password since its own was shown.
    if (!(user && (await removePasswordOf(tx, user.id, shown.hash))))
      throw new SignInRefused('This account has changed meanwhile.');
    await endSessionsOf(tx, accountIdOf(own));
    await recordEvent(
      tx,
      { tenant_id: user.tenant_id, user_id: user.id },
      { action: 'user.linked', target_type: 'user', target_id: user.id, details: { issuer } },
    );
    return user;
  });
}

async function findLinkable({ db }: Parts, email = ''): Promise<UserRow | undefined> {
  const user = await findUserByEmail(db, embeddedIssuer, email);
  if (user?.status !== 'active') return undefined;
  return (await findPassword(db, user.id)) ? user : undefined;
}

function activeOne(user: UserRow): UserRow {
  if (user.status === 'active') return user;
  throw new SignInRefused('Your account is disabled. An administrator can enable it.');
}
