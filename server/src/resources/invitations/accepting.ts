/**
 * What the holder of an invitation's link may do with it. Looking changes nothing, because mail
 * scanners open every link. Of the two providers only the embedded one lets the link alone make a
 * user: at an external one, the first sign-in with the address asks and does (auth/newcomers.ts).
 */
import { hash } from '@node-rs/argon2';
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { badField, conflict, DomainError, forbidden, gone, notFound } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { faultOfPassword, storePasswordHash } from '../auth/passwords.ts';
import type { Throttle } from '../auth/throttle.ts';
import type { User } from '../users/schema.ts';
import { embeddedIssuer, findUser, findUserByEmail } from '../users/users.ts';
import { join } from './joining.ts';
import { findByToken, type InvitationRow } from './queries.ts';
import type { Acceptance, OpenInvitation } from './schema.ts';
import { hashOfToken } from './token.ts';

type Accepting = Pick<Services, 'config' | 'db'> & { throttle: Pick<Throttle, 'inTurn'> };

/** @throws DomainError 404 for no such token, 410 for an invitation that has ended. */
export async function lookUp(
  { config, db }: Pick<Services, 'config' | 'db'>,
  token: string,
): Promise<OpenInvitation> {
  const { id, organization, email, role, expires_at } = await requireOpen(db, token);
  const needs = config.oidc ? 'sign_in' : 'password';
  return { id, organization, email, role, expires_at, needs };
}

/**
 * Creates the user of the embedded provider, with their password.
 *
 * @param caller who makes the request, if they are signed in.
 * @throws DomainError 404 and 410 as above; 403 `other_address`; 409 `email_taken`, `sign_in_there`;
 *   422 for the password.
 */
export async function accept(
  { config, db, throttle }: Accepting,
  caller: Caller | undefined,
  { token, password, first_name = '', last_name = '' }: Acceptance,
): Promise<User> {
  const invitation = await requireOpen(db, token);
  await refuseOthers(db, caller, invitation);
  if (config.oidc) {
    throw conflict(
      'sign_in_there',
      'Sign in with the address that was invited: its first sign-in asks whether to join.',
    );
  }
  if (password === undefined)
    throw badField('password', 'Choose a password to accept the invitation.', 'missing');
  const fault = faultOfPassword(invitation, password);
  if (fault) throw badField('password', fault);
  // Last: the inviter has the link as well, and could ask for one address after the other. Now each
  // that has no account gets one, in their own tenant.
  if (await findUserByEmail(db, embeddedIssuer, invitation.email)) throw emailTaken();
  const hashed = await throttle.inTurn({ device: undefined }, () => hash(password));
  if (hashed === undefined) throw tooBusy();

  const { id, email, role, status, ...names } = await db.transaction(async (tx) => {
    const user = await join(tx, invitation, { first_name, last_name });
    // Somebody was faster, or it was taken back meanwhile: the state it has now says how.
    if (!user) throw await whyEnded(tx, token);
    await storePasswordHash(tx, user.id, hashed);
    return user;
  });
  return { id, email, role, status, first_name: names.first_name, last_name: names.last_name };
}

async function requireOpen(db: Db, token: string): Promise<InvitationRow> {
  const hash = hashOfToken(token);
  const invitation = hash && (await findByToken(db, hash));
  if (!invitation) throw notFound('Invitation');
  const ended = endOf(invitation);
  if (ended) throw ended;
  return invitation;
}

async function whyEnded(db: Db, token: string): Promise<DomainError> {
  const error = await requireOpen(db, token).catch((reason: unknown) => reason);
  return error instanceof DomainError ? error : notFound('Invitation');
}

const endings = {
  accepted: 'This invitation was accepted already. Sign in with its address.',
  replaced: 'A newer invitation has replaced this one. Use the newer link.',
  revoked: 'This invitation was taken back. Ask for a new one.',
  voided: 'Whoever sent this invitation may no longer invite people. Ask for a new one.',
};

function endOf({ outcome, has_expired }: InvitationRow): DomainError | undefined {
  if (outcome !== undefined) return gone(endings[outcome], `invitation_${outcome}`);
  if (!has_expired) return undefined;
  return gone('This invitation has expired. Ask for a new one.', 'invitation_expired');
}

/** The invitation stays as it is: its owner may still accept it. */
async function refuseOthers(db: Db, caller: Caller | undefined, { email }: InvitationRow) {
  if (!caller) return;
  const user = await findUser(db, caller.tenant_id, caller.user_id);
  // Addresses differ if more than the case of ASCII letters does.
  if (user && lowered(user.email) === lowered(email)) throw emailTaken();
  throw forbidden(
    'You are signed in with another address than the one that was invited. Sign out first.',
    'other_address',
  );
}

const lowered = (email: string) => email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const emailTaken = () =>
  conflict(
    'email_taken',
    'There is an account with this address already, and an account belongs to one organization. Ask to be invited with another address.',
  );

const tooBusy = () =>
  new DomainError('unavailable', 'Many people are signing in right now. Try again in a moment.', {
    retry_after_seconds: 5,
  });
