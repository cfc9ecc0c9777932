/** SQL of tenants and their users. */
import type { PlanName } from '../../credits/plans.ts';
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import { partOfText } from '../../db/part-of-text.ts';
import type { Tag } from '../../db/statement.ts';
import type { Page } from '../../pages.ts';
import type { User } from './schema.ts';

export type UserRow = {
  id: number;
  tenant_id: number;
  email: string;
  first_name: string;
  last_name: string;
  role: 'admin' | 'member';
  status: 'active' | 'disabled';
  is_platform_admin: boolean;
  onboarding_complete: boolean;
  issuer: string;
  subject: string;
  /** Whether the address is known to be theirs; absent if that was not noted. */
  email_verified?: boolean;
  /** They are gone for good; nothing but their name is left. */
  removed_at?: string;
};

export type NewUser = Pick<UserRow, 'tenant_id' | 'email' | 'role' | 'issuer' | 'subject'> &
  Partial<
    Pick<
      UserRow,
      'email_verified' | 'first_name' | 'last_name' | 'is_platform_admin' | 'onboarding_complete'
    >
  >;

export async function addTenant(
  db: Db,
  name: string,
  { sealed_key, sealed_with }: { sealed_key: Uint8Array; sealed_with: string },
): Promise<number> {
  const [tenant] = await db<{ id: number }[]>`
    insert into tenants (name, sealed_key, sealed_with)
    values (${name}, ${sealed_key}, ${sealed_with})
    returning id
  `;
  if (!tenant) throw new Error('The tenant was not added.');
  return tenant.id;
}

/** The tenant that has what is the installation's own. */
export async function findPlatformTenant(db: Db): Promise<number | undefined> {
  const [tenant] = await db<{ id: number }[]>`select id from tenants where is_platform`;
  return tenant?.id;
}

export const markPlatformTenant = (db: Db, id: number) =>
  db`update tenants set is_platform = true where id = ${id}`;

export async function findTenantName(db: Db, tenantId: number): Promise<string | undefined> {
  const [tenant] = await db<{ name: string }[]>`select name from tenants where id = ${tenantId}`;
  return tenant?.name;
}

/** Null: no limit. */
export type TenantSettings = {
  name?: string;
  max_running_node_runs?: number | null;
  storage_limit_bytes?: number | null;
  seats_limit?: number | null;
  plan?: PlanName;
  /** In each period. */
  credits_limit?: number | null;
};

/** Changes what is given. @returns whether there is such a tenant. */
export async function updateTenant(
  db: Db,
  tenantId: number,
  {
    name,
    max_running_node_runs,
    storage_limit_bytes,
    seats_limit,
    plan,
    credits_limit,
  }: TenantSettings,
): Promise<boolean> {
  const updated = await db`
    update tenants
    set name = coalesce(${name ?? null}, name),
        plan = coalesce(${plan ?? null}, plan),
        credits_limit = case
          when ${credits_limit === undefined} then credits_limit
          else ${credits_limit ?? null}::bigint
        end,
        max_running_node_runs = case
          when ${max_running_node_runs === undefined} then max_running_node_runs
          else ${max_running_node_runs ?? null}::int
        end,
        storage_limit_bytes = case
          when ${storage_limit_bytes === undefined} then storage_limit_bytes
          else ${storage_limit_bytes ?? null}::bigint
        end,
        seats_limit = case
          when ${seats_limit === undefined} then seats_limit
          else ${seats_limit ?? null}::int
        end
    where id = ${tenantId}
  `;
  return updated.count > 0;
}

export type Seats = { seats_used: number; seats_limit?: number };

/** Active users and open invitations, and how many of both together there may be. */
export async function findSeats(db: Db, tenantId: number): Promise<Seats> {
  const [row] = await db<Seats[]>`
    select seats_limit, (
        select count(*) from users where tenant_id = tenants.id and status = 'active'
      ) + (
        select count(*)
        from invitations
        where tenant_id = tenants.id and ended_at is null and expires_at > now()
      ) as seats_used
    from tenants
    where id = ${tenantId}
  `;
  return row ?? { seats_used: 0 };
}

export async function addUser(db: Db, user: NewUser): Promise<UserRow> {
  const { first_name = '', last_name = '', is_platform_admin = false } = user;
  const { onboarding_complete = false, email_verified = false } = user;
  const [row] = await db<UserRow[]>`
    insert into users
      (tenant_id, email, email_verified, role, issuer, subject, first_name, last_name,
       is_platform_admin, onboarding_complete)
    values
      (${user.tenant_id}, ${user.email}, ${email_verified}, ${user.role}, ${user.issuer},
       ${user.subject}, ${first_name}, ${last_name}, ${is_platform_admin}, ${onboarding_complete})
    returning *
  `;
  if (!row) throw new Error('The user was not added.');
  return row;
}

export async function findUser(
  db: Tag,
  tenantId: number,
  id: number,
): Promise<UserRow | undefined> {
  const [user] = await db<UserRow[]>`
    select * from users where tenant_id = ${tenantId} and id = ${id}
  `;
  return user;
}

/** Finds a user by the provider's subject; subjects are unique per provider, not per tenant. */
export async function findUserBySubject(db: Db, issuer: string, subject: string) {
  const [user] = await db<UserRow[]>`
    select * from users where issuer = ${issuer} and subject = ${subject}
  `;
  return user;
}

/**
 * Whether `email` of `users` equals that address, ignoring the case of ASCII letters only. The
 * first half uses an index. Alone it would also match other letters, such as İ and i: a different
 * mailbox, and a different account in the counts of wrong guesses.
 */
const hasEmail = (db: Db, email: string) => db`
  (
    lower(email) = lower(${email})
    and lower(email collate "C") = lower(${email}::text collate "C")
  )
`;

export async function findUserByEmail(db: Db, issuer: string, email: string) {
  const [user] = await db<UserRow[]>`
    select * from users where issuer = ${issuer} and ${hasEmail(db, email)}
  `;
  return user;
}

/** All users with that address, at any provider. */
export function findUsersByEmail(db: Db, email: string) {
  return db<UserRow[]>`select * from users where ${hasEmail(db, email)} order by id`;
}

/** Links the user expected under that verified address to the subject who signed in. */
export async function claimAwaitedUser(db: Db, issuer: string, subject: string, email: string) {
  const [user] = await db<{ id: number }[]>`
    update users
    set subject = ${subject}, email_verified = true, updated_at = now()
    where issuer = ${issuer} and ${hasEmail(db, email)} and subject like 'awaited:%'
    returning id
  `;
  return user;
}

/** Notes that a provider has verified the address, if it is still theirs. */
export const updateVerified = (
  db: Db,
  { tenant_id, id }: Pick<UserRow, 'tenant_id' | 'id'>,
  email: string,
) => db`
  update users
  set email_verified = true, updated_at = now()
  where tenant_id = ${tenant_id} and id = ${id} and ${hasEmail(db, email)}
`;

/** Changes by whom an active user is known, if it is still `from`; the new one has verified their address. */
export async function updateSubject(
  db: Db,
  {
    tenant_id,
    id,
    from,
    issuer,
    subject,
  }: Pick<UserRow, 'tenant_id' | 'id' | 'issuer' | 'subject'> & { from: string },
) {
  const [user] = await db<UserRow[]>`
    update users
    set issuer = ${issuer}, subject = ${subject}, email_verified = true, updated_at = now()
    where tenant_id = ${tenant_id} and id = ${id} and issuer = ${from} and status = 'active'
    returning *
  `;
  return user;
}

/** Serializes first starts; the number identifies the lock. */
export function lockFirstStart(db: Db) {
  return db`select pg_advisory_xact_lock(7246003)`;
}

export async function countUsers(db: Db): Promise<number> {
  const [row] = await db<{ count: number }[]>`select count(*) from users`;
  return row?.count ?? 0;
}

export async function updateNames(
  db: Db,
  tenantId: number,
  id: number,
  { first_name, last_name }: { first_name?: string; last_name?: string },
): Promise<UserRow | undefined> {
  const [user] = await db<UserRow[]>`
    update users
    set first_name = coalesce(${first_name ?? null}, first_name),
        last_name = coalesce(${last_name ?? null}, last_name),
        onboarding_complete = onboarding_complete or (
          coalesce(${first_name ?? null}, first_name) <> '' and
          coalesce(${last_name ?? null}, last_name) <> ''
        ),
        updated_at = now()
    where tenant_id = ${tenantId} and id = ${id}
    returning *
  `;
  return user;
}

/** The user of a tenant with that address, at any provider; an active one if there are several. */
export async function findMember(db: Db, tenantId: number, email: string) {
  const [user] = await db<Pick<UserRow, 'id' | 'email' | 'status'>[]>`
    select id, email, status
    from users
    where tenant_id = ${tenantId} and ${hasEmail(db, email)}
    order by status = 'active' desc, id
    limit 1
  `;
  return user;
}

const columns = (db: Db) => db`id, email, first_name, last_name, role, status, removed_at`;

export type UserFilter = {
  /** Part of the name or the address; empty for all. */
  q: string;
  include_removed: boolean;
};

/** @param has_activity whether to tell when they were active last. */
export function findUsersOf(
  db: Db,
  tenantId: number,
  { has_activity, ...filter }: UserFilter & { has_activity: boolean },
  page: Page,
) {
  const ordered = db`
    select ${columns(db)} ${has_activity ? db`, ${lastActive(db)} as last_active_at` : db``}
    from users
    where tenant_id = ${tenantId} ${matching(db, filter)}
      ${page.after ? db`and id > ${Number(page.after[0])}` : db``}
    order by id
  `;
  return db<User[]>`${pageOf(db, page, ordered)}`;
}

/** Ended sessions are soon forgotten; then the last sign-in in the audit trail is what is known. */
const lastActive = (db: Db) => db`
  greatest(
    (
      select max(last_used_at)
      from sign_in_sessions
      where tenant_id = users.tenant_id and user_id = users.id
    ),
    (
      select max(last_used_at)
      from api_keys
      where tenant_id = users.tenant_id and user_id = users.id
    ),
    (
      select created_at
      from audit_events
      where tenant_id = users.tenant_id and target_type = 'user'
        and target_id = users.id::text and action = 'user.signed_in'
      order by created_at desc, id desc
      limit 1
    )
  )
`;

export async function countUsersOf(db: Db, tenantId: number, filter: UserFilter): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) from users where tenant_id = ${tenantId} ${matching(db, filter)}
  `;
  return row?.count ?? 0;
}

const matching = (db: Db, { q, include_removed }: UserFilter) => db`
  ${include_removed ? db`` : db`and removed_at is null`}
  ${
    q === ''
      ? db``
      : db`and (first_name || ' ' || last_name || ' ' || email) ilike ${partOfText(q)}`
  }
`;

/** Serializes changes to the users of one tenant. */
export function lockTenant(db: Db, tenantId: number) {
  return db`select from tenants where id = ${tenantId} for no key update`;
}

/** Serializes changes to platform admins; the number identifies the lock. */
export function lockPlatformAdmins(db: Db) {
  return db`select pg_advisory_xact_lock(7246021)`;
}

/** Whether there are other active admins, of the tenant and of the platform. */
export async function findOthersInCharge(
  db: Db,
  { tenant_id, id }: Pick<UserRow, 'tenant_id' | 'id'>,
): Promise<{ admin: boolean; platform_admin: boolean }> {
  const [others] = await db<{ admin: boolean; platform_admin: boolean }[]>`
    select
      exists (
        select from users
        where tenant_id = ${tenant_id} and id <> ${id} and role = 'admin' and status = 'active'
      ) as admin,
      exists (
        select from users where id <> ${id} and is_platform_admin and status = 'active'
      ) as platform_admin
  `;
  return others ?? { admin: false, platform_admin: false };
}

export async function updateUser(
  db: Db,
  tenantId: number,
  id: number,
  { role, status }: Pick<UserRow, 'role' | 'status'>,
): Promise<User | undefined> {
  const [user] = await db<User[]>`
    update users
    set role = ${role}, status = ${status}, updated_at = now(),
        successor_id = case when ${status} = 'disabled' then successor_id end
    where tenant_id = ${tenantId} and id = ${id}
    returning ${columns(db)}
  `;
  return user;
}

/** Takes from a disabled user whatever they could sign in with, and frees their address. */
export function eraseUser(db: Db, tenantId: number, id: number) {
  return db`
    update users
    set email = 'removed-' || id, subject = 'removed:' || gen_random_uuid(),
        is_platform_admin = false, removed_at = now(), updated_at = now()
    where tenant_id = ${tenantId} and id = ${id}
  `;
}
