/** SQL of invitations. One is open until it ends; when it expires it stays in its row, but counts for nothing. */
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Page } from '../../pages.ts';
import type { Inviter } from './inviter.ts';
import type { Invitation, InvitationTo } from './schema.ts';

export type Outcome = 'accepted' | 'replaced' | 'revoked' | 'voided';

export type InvitationRow = Invitation & {
  tenant_id: number;
  organization: string;
  outcome?: Outcome;
  has_expired: boolean;
};

export type InvitationToRow = Omit<InvitationTo, 'by'> & Inviter;

const columns = (db: Db) => db`id, email, role, invited_by, created_at, expires_at`;

/** The same address but for the case of ASCII letters, as the unique index compares them. */
const hasEmail = (db: Db, email: string) =>
  db`lower(invitations.email collate "C") = lower(${email}::text collate "C")`;

export async function addInvitation(
  db: Db,
  invitation: Pick<Invitation, 'email' | 'role' | 'invited_by'> & {
    tenant_id: number;
    token_hash: Buffer;
  },
): Promise<Invitation> {
  const { tenant_id, email, role, invited_by, token_hash } = invitation;
  const [row] = await db<Invitation[]>`
    insert into invitations (tenant_id, email, role, invited_by, token_hash)
    values (${tenant_id}, ${email}, ${role}, ${invited_by}, ${token_hash})
    returning ${columns(db)}
  `;
  if (!row) throw new Error('The invitation was not added.');
  return row;
}

export function findOpenInvitations(db: Db, tenantId: number, page: Page) {
  const ordered = db`
    select ${columns(db)}
    from invitations
    where tenant_id = ${tenantId} and ended_at is null and expires_at > now()
      ${page.after ? db`and id > ${Number(page.after[0])}` : db``}
    order by id
  `;
  return db<Invitation[]>`${pageOf(db, page, ordered)}`;
}

export async function countOpenInvitations(db: Db, tenantId: number): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)
    from invitations
    where tenant_id = ${tenantId} and ended_at is null and expires_at > now()
  `;
  return row?.count ?? 0;
}

/**
 * Whether a tenant has made more invitations than that within a day, however they ended: of an
 * address, or of all together.
 */
export async function hasInvitedMore(
  db: Db,
  tenantId: number,
  email: string,
  most: { of_address: number; in_all: number },
): Promise<boolean> {
  const [row] = await db<{ is_more: boolean }[]>`
    select (
        select count(*)
        from invitations
        where tenant_id = ${tenantId} and ${hasEmail(db, email)}
          and created_at > now() - interval '1 day'
      ) > ${most.of_address}
      or exists (
        select from (
          select created_at
          from invitations
          where tenant_id = ${tenantId}
          order by id desc
          offset ${most.in_all}
          limit 1
        ) as one
        where created_at > now() - interval '1 day'
      ) as is_more
  `;
  return row?.is_more ?? false;
}

/** Ended ones included: their holder is told how they ended. */
export async function findByToken(db: Db, tokenHash: Buffer): Promise<InvitationRow | undefined> {
  const [row] = await db<InvitationRow[]>`
    select invitations.id, email, role, invited_by, invitations.created_at, expires_at,
           tenant_id, tenants.name as organization, outcome,
           expires_at <= clock_timestamp() as has_expired
    from invitations
    join tenants on tenants.id = tenant_id
    where token_hash = ${tokenHash}
  `;
  return row;
}

/**
 * Open, unexpired invitations to that address, into any tenant: `first` if it is one of them, then
 * the newest, at most fifty.
 */
export const findInvitationsTo = (db: Db, email: string, first: number | undefined) => db<
  InvitationToRow[]
>`
  ${openTo(db, email)}
  order by invitations.id is not distinct from ${first ?? null}::bigint desc, invitations.id desc
  limit 50
`;

/** One of all of them. */
export async function findInvitationTo(db: Db, email: string, id: number) {
  const [row] = await db<InvitationToRow[]>`${openTo(db, email)} and invitations.id = ${id}`;
  return row;
}

const openTo = (db: Db, email: string) => db`
  select invitations.id, invitations.tenant_id, tenants.name as organization, invitations.role,
         inviters.first_name, inviters.last_name, inviters.email, inviters.email_verified
  from invitations
  join tenants on tenants.id = invitations.tenant_id
  join users as inviters
    on inviters.tenant_id = invitations.tenant_id and inviters.id = invited_by
  where ${hasEmail(db, email)} and ended_at is null and expires_at > now()
`;

/**
 * Ends open invitations, expired ones included.
 *
 * @param which narrows them; all of the tenant otherwise.
 */
export function endInvitations(
  db: Db,
  tenantId: number,
  which: { id?: number; email?: string; invited_by?: number },
  outcome: Exclude<Outcome, 'accepted'>,
) {
  const { id, email, invited_by } = which;
  return db<{ id: number; email: string }[]>`
    update invitations
    set ended_at = now(), outcome = ${outcome}
    where tenant_id = ${tenantId} and ended_at is null
      ${id === undefined ? db`` : db`and id = ${id}`}
      ${email === undefined ? db`` : db`and ${hasEmail(db, email)}`}
      ${invited_by === undefined ? db`` : db`and invited_by = ${invited_by}`}
    returning id, email
  `;
}

/**
 * Reserves it for its acceptance until the end of the transaction; undefined if it is not open. By
 * the time of this statement: its seat may have been given away since the transaction began.
 */
export async function lockOpen(db: Db, tenantId: number, id: number) {
  const [row] = await db<Pick<Invitation, 'id' | 'email' | 'role'>[]>`
    select id, email, role
    from invitations
    where tenant_id = ${tenantId} and id = ${id} and ended_at is null
      and expires_at > clock_timestamp()
    for update
  `;
  return row;
}

export function markAccepted(db: Db, tenantId: number, id: number, userId: number) {
  return db`
    update invitations
    set ended_at = now(), outcome = 'accepted', user_id = ${userId}
    where tenant_id = ${tenantId} and id = ${id}
  `;
}
