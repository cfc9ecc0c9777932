/**
 * Invitations: how admins bring people into their tenant. Who accepts one is in accepting.ts. The
 * answer always has the link, because not every installation can send mail.
 */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { conflict, forbidden, notFound } from '../../errors.ts';
import type { Listed, Page } from '../../pages.ts';
import type { Services } from '../../services.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { requireActiveAdmin } from '../users/admins.ts';
import { requireSeat } from '../users/seats.ts';
import { findMember, lockTenant } from '../users/users.ts';
import { mailInvitation } from './mailing.ts';
import {
  addInvitation,
  countOpenInvitations,
  endInvitations,
  findOpenInvitations,
  hasInvitedMore,
} from './queries.ts';
import type { Invitation, InvitationRequest, NewInvitation } from './schema.ts';
import { makeToken } from './token.ts';

/**
 * Invites an address. An earlier invitation of it into this tenant ends. Whether somebody has that
 * address in another tenant is not told here: only whoever accepts it learns that.
 *
 * @throws DomainError 403 for members, 409 `already_member`, 403 `quota_exceeded` without a seat.
 */
export function invite(
  db: Db,
  services: Pick<Services, 'baseUrl' | 'config' | 'keys'>,
  caller: Caller,
  { email, role }: InvitationRequest,
): Promise<NewInvitation> {
  return db.transaction(async (tx) => {
    await lockTenant(tx, caller.tenant_id);
    await requireActiveAdmin(tx, caller, forAdmins);
    await refuseMember(tx, caller.tenant_id, email);
    const [replaced] = await endInvitations(tx, caller.tenant_id, { email }, 'replaced');
    await requireSeat(tx, caller.tenant_id);
    const { text, hash } = makeToken();
    const { tenant_id, user_id: invited_by } = caller;
    const row = await addInvitation(tx, { tenant_id, email, role, invited_by, token_hash: hash });
    await recordEvent(tx, caller, {
      action: 'invitation.created',
      target_type: 'invitation',
      target_id: row.id,
      details: { email, role, ...(replaced && { replaces: replaced.id }) },
    });
    const link = `${services.baseUrl()}/app/invitation#${text}`;
    const is_mailed =
      services.config.mail !== undefined && (await mayBeMailed(tx, tenant_id, email));
    if (is_mailed) await mailInvitation(tx, services, caller, row, link);
    return { ...row, link, is_mailed };
  });
}

export async function listInvitations(
  db: Db,
  caller: Caller,
  page: Page,
): Promise<Listed<Invitation>> {
  if (caller.role !== 'admin') throw forbidden(forAdmins);
  const rows = await findOpenInvitations(db, caller.tenant_id, page);
  return page.with_total
    ? { rows, total: await countOpenInvitations(db, caller.tenant_id) }
    : { rows };
}

/** Takes an open invitation back; its link is good for nothing from now on. */
export function revokeInvitation(db: Db, caller: Caller, id: number): Promise<void> {
  return db.transaction(async (tx) => {
    await lockTenant(tx, caller.tenant_id);
    await requireActiveAdmin(tx, caller, forAdmins);
    const [revoked] = await endInvitations(tx, caller.tenant_id, { id }, 'revoked');
    if (!revoked) throw notFound('Invitation');
    await recordEvent(tx, caller, {
      action: 'invitation.revoked',
      target_type: 'invitation',
      target_id: id,
      details: { email: revoked.email },
    });
  });
}

const forAdmins = 'Only administrators may invite people.';

/**
 * Mails of a tenant in a day: nobody's mailbox is filled by inviting them again and again, and the
 * installation does not send advertisements.
 */
const mostMails = { of_address: 5, in_all: 1000 };

const mayBeMailed = async (tx: Db, tenantId: number, email: string) =>
  !(await hasInvitedMore(tx, tenantId, email, mostMails));

async function refuseMember(tx: Db, tenantId: number, email: string) {
  const member = await findMember(tx, tenantId, email);
  if (!member) return;
  throw conflict(
    'already_member',
    member.status === 'active'
      ? `${member.email} is a member already.`
      : `${member.email} was a member and is disabled: enable that account, or remove it first.`,
  );
}
