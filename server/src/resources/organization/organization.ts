/**
 * The caller's organization, which is their tenant, as its own people see it: its name. What it uses
 * and may use is in subscriptions/, how the platform sees and limits it in platform/tenants/.
 */
import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { forbidden, notFound } from '../../errors.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { changeTenantSettings, findTenantName } from '../users/users.ts';
import type { Organization, OrganizationChanges } from './schema.ts';

/** Every user of the tenant may see it. */
export async function getOrganization(db: Db, { tenant_id }: Caller): Promise<Organization> {
  const name = await findTenantName(db, tenant_id);
  if (name === undefined) throw notFound('Tenant');
  return { id: tenant_id, name };
}

/** Renames it. @throws DomainError 403 for members. */
export function renameOrganization(
  db: Db,
  caller: Caller,
  changes: OrganizationChanges,
): Promise<Organization> {
  const { tenant_id, role } = caller;
  if (role !== 'admin') throw forbidden('Only administrators may rename the organization.');
  const name = changes.name.trim();
  return db.transaction(async (tx) => {
    await changeTenantSettings(tx, tenant_id, { name });
    await recordEvent(tx, caller, {
      action: 'tenant.changed',
      target_type: 'tenant',
      target_id: tenant_id,
      details: { name },
    });
    return { id: tenant_id, name };
  });
}
