/** Users of an external provider: found by (issuer, subject), or created at their first request. */
import type { Db } from '../../db/connection.ts';
import { conflict } from '../../errors.ts';
import type { Services } from '../../services.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { invitationsTo, invitationTo, join } from '../invitations/joining.ts';
import {
  claimAwaitedUser,
  createTenant,
  createUser,
  embeddedIssuer,
  findUserBySubject,
  findUsersByEmail,
  type UserRow,
} from '../users/users.ts';
import type { Profile } from './external/profile.ts';
import { lockSubject } from './queries.ts';

/** The subject of users whom an operator created for an external provider, until they sign in. */
export const awaitedPrefix = 'awaited:';
export const awaitedSubject = (unique: string) => `${awaitedPrefix}${unique}`;

type Newcomer = { issuer: string; subject: string };

/** What somebody who is invited has answered: to join there, or to have a tenant of their own. */
export type Choice = { invitation_id: number } | 'own';

/**
 * Admits a new subject: by a verified address as the user expected under it, or as they have chosen,
 * into a tenant that invited it; or else with a new tenant, as its admin. Whoever is invited is asked
 * first: to invite an address, nobody needs to know its owner. Of concurrent first requests one does
 * it.
 *
 * @param profile requested only for a subject that is really new.
 * @throws DomainError 409 `known_elsewhere` for the address of a user of a former provider.
 * @returns `invited` if nothing has happened, because they have to choose an invitation, or the
 *   chosen one has just ended.
 */
export async function admit(
  { db, keys }: Pick<Services, 'db' | 'keys'>,
  { issuer, subject }: Newcomer,
  profile: () => Promise<Profile>,
  choice?: Choice,
): Promise<'in' | 'invited'> {
  if (await findUserBySubject(db, issuer, subject)) return 'in';
  const known = await profile();

  return db.transaction(async (tx) => {
    await lockSubject(tx, issuer, subject);
    if (await findUserBySubject(tx, issuer, subject)) return 'in';
    const { first_name = '', last_name = '', email = '' } = known;
    if (email && known.email_verified) {
      const awaited = await claimAwaitedUser(tx, issuer, subject, email);
      if (awaited) return 'in';
      await refuseStranded(tx, issuer, email);
      if (typeof choice === 'object') {
        const chosen = await invitationTo(tx, email, choice.invitation_id);
        const names = { issuer, subject, first_name, last_name };
        const joined = chosen && (await join(tx, chosen, { ...names, email_verified: true }));
        return joined ? 'in' : 'invited';
      }
      const isAsked = choice === undefined && (await invitationsTo(tx, email)).length > 0;
      if (isAsked) return 'invited';
    }
    const tenant_id = await createTenant(tx, keys, tenantName(known));
    const email_verified = email !== '' && known.email_verified === true;
    const newcomer = { tenant_id, email, email_verified, role: 'admin', issuer, subject } as const;
    const user = await createUser(tx, { ...newcomer, first_name, last_name });
    await recordEvent(
      tx,
      { tenant_id, user_id: user.id },
      { action: 'user.joined', target_type: 'user', target_id: user.id, details: { issuer } },
    );
    return 'in';
  });
}

/**
 * A second account would hide the first one, which an operator can move to this provider. One whose
 * address is not verified is somebody else's, who could keep its owner out.
 */
async function refuseStranded(tx: Db, issuer: string, email: string) {
  const others = await findUsersByEmail(tx, email);
  const isStranded = (user: UserRow) =>
    user.issuer !== issuer && user.issuer !== embeddedIssuer && user.email_verified !== false;
  if (!others.some(isStranded)) return;
  throw conflict(
    'known_elsewhere',
    'Your account here belongs to the identity provider that was used before. Ask the operator to move it.',
  );
}

function tenantName({ name, first_name, last_name, email }: Profile) {
  const full = name ?? [first_name, last_name].filter(Boolean).join(' ');
  return (full || email?.split('@')[0] || 'New tenant').slice(0, 200);
}
