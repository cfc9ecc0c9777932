/**
 * Grants: sharing of cogs. rules.ts decides what a grant allows, access.ts finds a cog's grants.
 * Every change is in the audit trail.
 */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { badField, conflict, forbidden, notFound } from '../../errors.ts';
import type { Listed, Page } from '../../pages.ts';
import { recordEvent } from '../audit-events/audit-events.ts';
import { findUser } from '../users/users.ts';
import { type Granted, isOutputs, lockTree, type Reached, reach, requireAccess } from './access.ts';
import { rightsOf } from './cog-grants.ts';
import { explanationOf } from './explaining.ts';
import { grantFault } from './giving.ts';
import {
  countPermissions,
  findName,
  findPermission,
  findPermissions,
  findPlacedGrants,
  type ListedPermission,
  lockGrantsOf,
  removeExpired,
  removeGrantOf,
  removePermission,
  upsertPermission,
} from './queries.ts';
import { losesItsOwner } from './rules.ts';
import type {
  EffectiveAccess,
  GrantValues,
  NewPermission,
  Permission,
  PermissionChanges,
} from './schema.ts';

/** The grants on a cog; visible to everyone who may see the cog. */
export async function listPermissions(
  db: Db,
  caller: Caller,
  cogId: number,
  includeInherited: boolean,
  page: Page,
): Promise<Listed<ListedPermission>> {
  await requireAccess(db, caller, cogId, 'view');
  const rows = await findPermissions(db, caller, cogId, {
    include_inherited: includeInherited,
    page,
  });
  if (!page.with_total) return { rows };
  return { rows, total: await countPermissions(db, caller, cogId, includeInherited) };
}

/** What a user of the tenant may do to a cog, and why. */
export async function explainAccess(
  db: Db,
  caller: Caller,
  cogId: number,
  userId: number,
): Promise<EffectiveAccess> {
  const seen = await requireAccess(db, caller, cogId, 'view');
  const user = await findUser(db, caller.tenant_id, userId);
  if (!user) throw notFound('User');
  const who = { tenant_id: caller.tenant_id, user_id: userId, role: user.role };
  const [cog] = await reach(db, who, [cogId]);
  const { access, grant } = cog ?? {};
  const place = { cog_id: cogId, user_id: userId };
  const none = { can_upload: false, can_share: false, can_delete: false };
  const deciding =
    grant && user.role !== 'admin'
      ? await findPermission(db, caller.tenant_id, grant.permission_id)
      : undefined;
  if (!access || !deciding) {
    const reason = reasonWithout(user.role, cog);
    const explanation = explanationOf({ reason, access });
    return { ...place, ...(access ?? none), reason, explanation };
  }
  const { target_id, expires_at } = deciding;
  const inherited = target_id !== cogId;
  const folder = inherited ? await folderAbove(db, caller, seen, target_id) : undefined;
  return {
    ...place,
    ...access,
    reason: 'grant',
    grant: inherited ? { ...deciding, inherited, inherited_from: target_id } : deciding,
    explanation: explanationOf({ reason: 'grant', access, expires_at, folder }),
  };
}

function reasonWithout(role: Caller['role'], cog: Reached | undefined): EffectiveAccess['reason'] {
  if (!cog?.access) return 'none';
  if (role === 'admin') return 'tenant_admin';
  return isOutputs(cog.purpose) ? 'workflow_outputs' : 'root';
}

/** For the explanation: without its name if the caller may not see it. */
async function folderAbove(db: Db, caller: Caller, cog: Reached, folderId: number) {
  const [folder] = await reach(db, caller, [folderId]);
  return {
    name: folder?.access && (await findName(db, caller.tenant_id, folderId)),
    levels_up: cog.depth - (folder?.depth ?? 0),
  };
}

/**
 * Shares a cog with a user of the tenant; granting again replaces the whole grant.
 *
 * @returns the grant, and whether it is new.
 * @throws DomainError `forbidden` if the caller may not share, or not that much; 409 `last_owner`.
 */
export function shareCog(
  db: Db,
  caller: Caller,
  cogId: number,
  given: NewPermission,
): Promise<{ permission: Permission; is_new: boolean }> {
  return db.transaction(async (tx) => {
    await lockTree(tx, caller.tenant_id, 'add');
    await lockGrantsOf(tx, caller.tenant_id, cogId);
    const cog = await requireAccess(tx, caller, cogId, 'share');
    if (given.target_id !== cogId) throw badField('target_id', 'Must be the id in the path.');
    const wanted = withExpiry(given);
    const user = await findUser(tx, caller.tenant_id, wanted.user_id);
    if (user?.status !== 'active') throw notFound('User');

    await checkChange(tx, caller, cog, wanted.user_id, wanted);
    await removeExpired(tx, caller.tenant_id, cogId, wanted.user_id);
    const { is_new, ...permission } = await upsertPermission(tx, caller, cogId, wanted);
    await noteChange(tx, caller, is_new ? 'permission.granted' : 'permission.changed', permission);
    return { permission, is_new };
  });
}

/**
 * Makes a user an owner of a cog, in a transaction that holds the lock of the tree, and changes the
 * grant that another has on the cog itself.
 *
 * @param other `level`: what they get; undefined: no grant of their own.
 * @throws DomainError like `shareCog`.
 */
export async function makeOwner(
  tx: Db,
  caller: Caller,
  cog: Granted,
  userId: number,
  other?: { user_id: number; level: Permission['level'] | undefined },
): Promise<void> {
  const put = async (user_id: number, level: Permission['level']) => {
    await checkChange(tx, caller, cog, user_id, { level }, 'user_id');
    await removeExpired(tx, caller.tenant_id, cog.id, user_id);
    const grant = { user_id, level };
    const { is_new, ...permission } = await upsertPermission(tx, caller, cog.id, grant);
    await noteChange(tx, caller, is_new ? 'permission.granted' : 'permission.changed', permission);
  };
  await put(userId, 'owner');
  if (!other) return;
  if (other.level) return put(other.user_id, other.level);
  await checkChange(tx, caller, cog, other.user_id, undefined);
  const removed = await removeGrantOf(tx, caller.tenant_id, cog.id, other.user_id);
  if (removed) await noteChange(tx, caller, 'permission.revoked', removed);
}

/** Changes a grant. @throws DomainError like `shareCog`. */
export function changePermission(
  db: Db,
  caller: Caller,
  permissionId: number,
  changes: PermissionChanges,
): Promise<Permission> {
  return db.transaction(async (tx) => {
    const { permission, cog } = await requirePermission(tx, caller, permissionId);
    const values = withChanges(permission, withExpiry(changes));

    await checkChange(tx, caller, cog, permission.user_id, values);
    const { is_new: _, ...changed } = await upsertPermission(tx, caller, cog.id, {
      ...values,
      user_id: permission.user_id,
    });
    await noteChange(tx, caller, 'permission.changed', changed);
    return changed;
  });
}

/** Revokes a grant. @throws DomainError like `shareCog`. */
export function revokePermission(db: Db, caller: Caller, permissionId: number): Promise<void> {
  return db.transaction(async (tx) => {
    const { permission, cog } = await requirePermission(tx, caller, permissionId);
    await checkChange(tx, caller, cog, permission.user_id, undefined);
    await removePermission(tx, caller.tenant_id, permissionId);
    await noteChange(tx, caller, 'permission.revoked', permission);
  });
}

/** Finds the grant, locks its cog, and checks that the caller may share it. */
async function requirePermission(tx: Db, caller: Caller, permissionId: number) {
  await lockTree(tx, caller.tenant_id, 'add');
  const before = await findPermission(tx, caller.tenant_id, permissionId);
  if (!before) throw notFound('Permission');
  await lockGrantsOf(tx, caller.tenant_id, before.target_id);
  const permission = await findPermission(tx, caller.tenant_id, permissionId);
  const [cog] = await reach(tx, caller, [before.target_id]);
  if (!permission || !cog) throw notFound('Permission');
  return { permission, cog: await requireAccess(tx, caller, cog.id, 'share') };
}

function withChanges(permission: Permission, changes: PermissionChanges): GrantValues {
  const values: Record<string, unknown> = { ...permission, ...changes };
  for (const [field, value] of Object.entries(values)) if (value === null) delete values[field];
  return values as GrantValues;
}

/**
 * Normalizes the expiry as stored, to the millisecond. @throws DomainError 422 if it is in the
 * past.
 */
function withExpiry<T extends { expires_at?: string | null }>(given: T): T {
  if (!given.expires_at) return given;
  const end = Date.parse(given.expires_at);
  if (end <= Date.now()) throw badField('expires_at', 'Must be in the future.');
  return { ...given, expires_at: new Date(end).toISOString() };
}

/**
 * Whether the caller may replace the user's grant on the cog by `wanted` (nothing: no grant): see
 * `grantFault`.
 */
async function checkChange(
  tx: Db,
  caller: Caller,
  cog: Granted,
  userId: number,
  wanted: GrantValues | undefined,
  field = 'expires_at',
) {
  const now = Date.now();
  const before = await findPlacedGrants(tx, caller, cog.id);
  const others = before.filter((grant) => grant.user_id !== userId || grant.distance > 0);
  const placed = wanted && { ...wanted, user_id: userId, distance: 0 };
  const after = placed ? [...others, placed] : others;

  const fault = grantFault({
    ...(await rightsOf(tx, caller, cog, before, now)),
    before: before.filter((grant) => grant.user_id === userId),
    wanted: placed,
    now,
  });
  if (fault === 'more') {
    throw forbidden(
      'You may not give, change or take more rights than you have here and on everything inside.',
    );
  }
  if (fault) {
    const end = new Date(fault.until).toISOString();
    throw badField(field, `Your own right to give this ends at ${end}. End it by then.`);
  }
  // A grant to an admin has no effect, and does not make them count as an owner.
  const user = await findUser(tx, caller.tenant_id, userId);
  const counted = user?.role === 'admin' ? others : after;
  if (losesItsOwner(before, counted, new Date(now))) {
    throw conflict('last_owner', 'Every item needs an owner. Make somebody else owner first.');
  }
}

function noteChange(tx: Db, caller: Caller, action: string, permission: Permission) {
  const { permission_id, user_id, level, expires_at, can_upload, can_share, can_delete } =
    permission;
  return recordEvent(tx, caller, {
    action,
    target_type: 'cog',
    target_id: permission.target_id,
    details: { permission_id, user_id, level, expires_at, can_upload, can_share, can_delete },
  });
}
