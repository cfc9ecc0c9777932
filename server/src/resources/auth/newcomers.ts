/** Users of an external provider: found by (issuer, subject), or created at their first request. */
import type { Services } from '../../services.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { claimAwaitedUser, createTenant, createUser, findUserBySubject } from '../users/users.ts';
import type { Profile } from './external.ts';
import { lockSubject } from './queries.ts';

/** The subject of users whom an operator created for an external provider, until they sign in. */
export const awaitedSubject = (unique: string) => `awaited:${unique}`;

type Newcomer = { issuer: string; subject: string };

/**
 * Admits a new subject: as the user expected under the same verified address, or else with a new
 * tenant, as its admin. Of concurrent first requests one does it.
 *
 * @param profile requested only for a subject that is really new.
 */
export async function admit(
  { db, keys }: Pick<Services, 'db' | 'keys'>,
  { issuer, subject }: Newcomer,
  profile: () => Promise<Profile>,
): Promise<void> {
  if (await findUserBySubject(db, issuer, subject)) return;
  const known = await profile();

  await db.transaction(async (tx) => {
    await lockSubject(tx, issuer, subject);
    if (await findUserBySubject(tx, issuer, subject)) return;
    if (known.email && known.email_verified) {
      const awaited = await claimAwaitedUser(tx, issuer, subject, known.email);
      if (awaited) return;
    }
    const tenant_id = await createTenant(tx, keys, tenantName(known));
    const { first_name = '', last_name = '', email = '' } = known;
    const newcomer = { tenant_id, email, role: 'admin', issuer, subject } as const;
    const user = await createUser(tx, { ...newcomer, first_name, last_name });
    await recordEvent(
      tx,
      { tenant_id, user_id: user.id },
      { action: 'user.joined', target_type: 'user', target_id: user.id, details: { issuer } },
    );
  });
}

function tenantName({ name, first_name, last_name, email }: Profile) {
  const full = name ?? [first_name, last_name].filter(Boolean).join(' ');
  return (full || email?.split('@')[0] || 'New tenant').slice(0, 200);
}
