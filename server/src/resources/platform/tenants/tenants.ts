/**
 * Tenants, as those see and limit them who run the platform. Nothing of what is inside: a platform
 * admin has no rights in other tenants.
 */
import type { Caller } from '../../../callers.ts';
import { addCredits, followLimit } from '../../../credits/accounts.ts';
import { limitsOf } from '../../../credits/plans.ts';
import type { Db } from '../../../db/connection.ts';
import { plannedAnew } from '../../../db/planned-anew.ts';
import { conflict, forbidden, notFound } from '../../../errors.ts';
import type { Listed, Page } from '../../../pages.ts';
import type { Services } from '../../../services.ts';
import { recordEvents } from '../../audit-events/audit-events.ts';
import { openAccount } from '../../auth/accounts.ts';
import { changeTenantSettings, createTenant, type TenantSettings } from '../../users/users.ts';
import { countTenants, findTenant, findTenants } from './queries.ts';
import type { AddedCredits, NewTenant, NewTenantRequest, Tenant, TenantChanges } from './schema.ts';

export async function listTenants(
  db: Db,
  caller: Caller,
  q: string,
  page: Page,
): Promise<Listed<Tenant>> {
  if (!caller.is_platform_admin) throw notForYou();
  const list = async (by: Db) => {
    const rows = await findTenants(by, q, page);
    return page.with_total ? { rows, total: await countTenants(by, q) } : { rows };
  };
  return q === '' ? list(db) : plannedAnew(db, list);
}

/** @throws DomainError 404; 403 for one's own tenant if one does not run the platform. */
export async function getTenant(db: Db, caller: Caller, id: number): Promise<Tenant> {
  // Others than platform admins do not learn which tenants there are.
  if (!caller.is_platform_admin) throw id === caller.tenant_id ? notForYou() : notFound('Tenant');
  const tenant = await findTenant(db, id);
  if (!tenant) throw notFound('Tenant');
  return tenant;
}

/**
 * Makes a tenant with its first admin, who signs in with a one-time password, or at the external
 * identity provider.
 *
 * @throws DomainError 403 for others than platform admins, 409 `email_taken`
 */
export function openTenant(
  db: Db,
  { config, keys }: Pick<Services, 'config' | 'keys'>,
  caller: Caller,
  { name, admin_email }: NewTenantRequest,
): Promise<NewTenant> {
  if (!caller.is_platform_admin) throw notForYou();
  return db.transaction(async (tx) => {
    const id = await createTenant(tx, keys, name);
    const account = { tenant_id: id, email: admin_email, role: 'admin' as const };
    const { user, password } = await openAccount(tx, config, account);
    const { tenant_id, user_id } = caller;
    const event = { action: 'tenant.created', target_type: 'tenant', target_id: id };
    await recordEvents(tx, [
      { ...event, tenant_id, user_id, details: { name } },
      { ...event, tenant_id: id, details: { name, platform_admin_id: user_id } },
    ]);
    return {
      ...(await getTenant(tx, caller, id)),
      admin: { user_id: user.id, email: user.email, ...(password !== undefined && { password }) },
    };
  });
}

/**
 * Renames and limits a tenant. A limit that is lower than what is used takes nothing away. The
 * change stands in its own audit trail as well, where its admins see it.
 */
export function changeTenant(
  db: Db,
  caller: Caller,
  id: number,
  changes: TenantChanges,
): Promise<Tenant> {
  return db.transaction(async (tx) => {
    await getTenant(tx, caller, id);
    await limitTenant(tx, id, changes);
    await recordBoth(tx, caller, id, 'tenant.changed', changes);
    return getTenant(tx, caller, id);
  });
}

/**
 * Gives a tenant more credits for the period under way, once.
 *
 * @throws DomainError 409 `no_credits_limit`
 */
export function addTenantCredits(
  db: Db,
  caller: Caller,
  id: number,
  added: AddedCredits,
): Promise<Tenant> {
  return db.transaction(async (tx) => {
    const { name } = await getTenant(tx, caller, id);
    if (!(await addCredits(tx, id, added.credits, new Date())))
      throw conflict('no_credits_limit', `"${name}" has no limit on credits to add to.`);
    await recordBoth(tx, caller, id, 'tenant.credits_added', added);
    return getTenant(tx, caller, id);
  });
}

/** In the trail of the tenant as well, where its admins see it. */
async function recordBoth(tx: Db, caller: Caller, id: number, action: string, details: object) {
  const { tenant_id, user_id } = caller;
  const event = { action, target_type: 'tenant', target_id: id };
  await recordEvents(tx, [
    { ...event, tenant_id, user_id, details: { ...details } },
    // A user of another tenant cannot be the actor there.
    ...(id === tenant_id
      ? []
      : [{ ...event, tenant_id: id, details: { ...details, platform_admin_id: user_id } }]),
  ]);
}

/**
 * Renames and limits a tenant, a plan's limits included. What waits for a limit that was raised goes on.
 *
 * @returns whether there is such a tenant.
 */
export async function limitTenant(tx: Db, id: number, changes: TenantSettings): Promise<boolean> {
  const settings = limitsOf(changes);
  if (!(await changeTenantSettings(tx, id, settings))) return false;
  if (settings.credits_limit !== undefined) await followLimit(tx, id, new Date());
  return true;
}

const notForYou = () => forbidden('Only platform administrators may do this.');
