/** SQL of tenants and their users. */
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
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
};

export type NewUser = Pick<UserRow, 'tenant_id' | 'email' | 'role' | 'issuer' | 'subject'> &
  Partial<Pick<UserRow, 'first_name' | 'last_name' | 'is_platform_admin'>>;

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

export async function findTenantName(db: Db, tenantId: number): Promise<string | undefined> {
  const [tenant] = await db<{ name: string }[]>`select name from tenants where id = ${tenantId}`;
  return tenant?.name;
}

/** Null: no limit. */
export type TenantLimits = {
  max_running_node_runs?: number | null;
  storage_limit_bytes?: number | null;
};

/** Changes the limits that are given. @returns whether there is such a tenant. */
export async function updateTenantLimits(
  db: Db,
  tenantId: number,
  { max_running_node_runs, storage_limit_bytes }: TenantLimits,
): Promise<boolean> {
  const updated = await db`
    update tenants
    set max_running_node_runs = case
          when ${max_running_node_runs === undefined} then max_running_node_runs
          else ${max_running_node_runs ?? null}::int
        end,
        storage_limit_bytes = case
          when ${storage_limit_bytes === undefined} then storage_limit_bytes
          else ${storage_limit_bytes ?? null}::bigint
        end
    where id = ${tenantId}
  `;
  return updated.count > 0;
}

export async function addUser(db: Db, user: NewUser): Promise<UserRow> {
  const { first_name = '', last_name = '', is_platform_admin = false } = user;
  const [row] = await db<UserRow[]>`
    insert into users
      (tenant_id, email, role, issuer, subject, first_name, last_name, is_platform_admin)
    values
      (${user.tenant_id}, ${user.email}, ${user.role}, ${user.issuer}, ${user.subject},
       ${first_name}, ${last_name}, ${is_platform_admin})
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

/** Links the user expected under that address to the subject who signed in. */
export async function claimAwaitedUser(db: Db, issuer: string, subject: string, email: string) {
  const [user] = await db<{ id: number }[]>`
    update users
    set subject = ${subject}, updated_at = now()
    where issuer = ${issuer} and ${hasEmail(db, email)} and subject like 'awaited:%'
    returning id
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

const columns = (db: Db) => db`id, email, first_name, last_name, role, status`;

/** @param q part of the name or the address; empty for all. */
export function findUsersOf(db: Db, tenantId: number, q: string, page: Page) {
  const ordered = db`
    select ${columns(db)}
    from users
    where tenant_id = ${tenantId} ${called(db, q)}
      ${page.after ? db`and id > ${Number(page.after[0])}` : db``}
    order by id
  `;
  return db<User[]>`${pageOf(db, page, ordered)}`;
}

export async function countUsersOf(db: Db, tenantId: number, q: string): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) from users where tenant_id = ${tenantId} ${called(db, q)}
  `;
  return row?.count ?? 0;
}

function called(db: Db, q: string) {
  // Escapes the user's wildcards; only our own % has a meaning.
  const pattern = `%${q.replace(/[\\%_]/g, '\\$&')}%`;
  return q === ''
    ? db``
    : db`and (first_name || ' ' || last_name || ' ' || email) ilike ${pattern}`;
}

/** Serializes changes to the users of one tenant. */
export function lockTenant(db: Db, tenantId: number) {
  return db`select from tenants where id = ${tenantId} for no key update`;
}

export async function hasOtherAdmin(db: Db, tenantId: number, id: number): Promise<boolean> {
  const others = await db`
    select from users
    where tenant_id = ${tenantId} and id <> ${id} and role = 'admin' and status = 'active'
    limit 1
  `;
  return others.length > 0;
}

export async function updateUser(
  db: Db,
  tenantId: number,
  id: number,
  { role, status }: Pick<UserRow, 'role' | 'status'>,
): Promise<User | undefined> {
  const [user] = await db<User[]>`
    update users
    set role = ${role}, status = ${status}, updated_at = now()
    where tenant_id = ${tenantId} and id = ${id}
    returning ${columns(db)}
  `;
  return user;
}
