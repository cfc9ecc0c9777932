/** Invitations by mail, where the installation can send some. The link is handed out all the same. */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { leaveMail, sendMails } from '../../mail/outbox.ts';
import { onOneLine } from '../../mail/words.ts';
import type { Services } from '../../services.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { findTenantName, findUser } from '../users/users.ts';
import { inviterInWords } from './inviter.ts';
import type { Invitation } from './schema.ts';

/** Sends an invitation some time after the transaction that makes it. */
export async function mailInvitation(
  tx: Db,
  { keys }: Pick<Services, 'keys'>,
  { tenant_id, user_id }: Caller,
  { id, email, expires_at }: Invitation,
  link: string,
): Promise<void> {
  const [tenant = '', inviter] = await Promise.all([
    findTenantName(tx, tenant_id),
    findUser(tx, tenant_id, user_id),
  ]);
  const organization = onOneLine(tenant);
  if (!inviter) throw new Error('The inviter is gone.');
  const text = [
    `${inviterInWords(inviter)} invites you to ${organization} on Cogworks.`,
    `To accept, open this link until ${expires_at.slice(0, 16).replace('T', ' ')} UTC:`,
    link,
    'If you do not know what this is about, ignore this mail: nothing happens unless you accept.',
  ].join('\n\n');
  const subject = `You are invited to ${organization}`;
  await leaveMail(
    tx,
    keys,
    { tenant_id, invitation_id: id },
    { to: email, subject, text: `${text}\n` },
  );
}

/** Tries what is due. One that can never arrive stands in the audit trail, for the inviter. */
export async function sendInvitations(
  services: Pick<Services, 'config' | 'db' | 'keys' | 'log'>,
): Promise<number> {
  const { mail } = services.config;
  if (!mail) return 0;
  return sendMails(services, mail, (tx, { tenant_id, invitation_id }, reason) =>
    recordEvent(
      tx,
      { tenant_id },
      {
        action: 'invitation.mail_refused',
        target_type: 'invitation',
        target_id: invitation_id,
        details: { reason },
      },
    ),
  );
}
