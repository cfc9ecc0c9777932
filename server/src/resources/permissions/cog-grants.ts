/**
 * The effects of moving, deleting and restoring cogs on grants, and what a caller can give. Reads
 * what moves.ts and over-time.ts need to decide.
 */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { forbidden } from '../../errors.ts';
import { findUser } from '../users/users.ts';
import type { Granted, Reached } from './access.ts';
import { type GrantToWrite, planMove } from './moves.ts';
import { accessOverTime, everything, givingOverTime, momentsOf } from './over-time.ts';
import {
  findLesserGrantsBelow,
  findPlacedGrants,
  findRoles,
  putGrants,
  removePermissionsOn,
} from './queries.ts';
import { type EndedGrant, planRestoration } from './restoring.ts';
import { accessBy, decidingGrants, type PlacedGrant } from './rules.ts';

/** What the caller has on a cog and can give, and when that changes. */
export async function rightsOf(
  tx: Db,
  caller: Caller,
  cog: Granted,
  placed: readonly PlacedGrant[],
  now: number,
) {
  if (caller.role === 'admin') return { held: everything, giving: everything, moments: [] };
  const own = placed.filter((grant) => grant.user_id === caller.user_id);
  const below = await grantsBelow(tx, caller, cog);
  const held = accessOverTime(own);
  return { held, giving: givingOverTime(held, below), moments: momentsOf(now, own, below) };
}

/** The caller's grants below a cog that may give less than a grant on the cog. */
async function grantsBelow(tx: Db, caller: Caller, { id, cog_type }: Reached) {
  return cog_type === 'file' || caller.role === 'admin'
    ? []
    : findLesserGrantsBelow(tx, caller, id);
}

/** @throws DomainError `forbidden` if the caller may not delete something in the folder. */
export async function requireDeleteInside(tx: Db, caller: Caller, cog: Reached): Promise<void> {
  const below = await grantsBelow(tx, caller, cog);
  if (below.every((grant) => accessBy(grant).can_delete)) return;
  throw forbidden('There is something in this folder that you may not delete.');
}

/**
 * The grants a move must write on the cog, so that it raises nobody's access and owners stay
 * owners.
 *
 * @throws DomainError `forbidden` if no grant could do that, or the right to delete is missing.
 */
export async function checkMoveOfRights(
  tx: Db,
  caller: Caller,
  cog: Granted,
  target: Reached,
): Promise<GrantToWrite[]> {
  const plan = planMove({
    mover: caller,
    before: await findPlacedGrants(tx, caller, cog.id),
    target: await findPlacedGrants(tx, caller, target.id),
    below: await grantsBelow(tx, caller, cog),
    now: Date.now(),
  });
  if ('grants' in plan) return plan.grants;
  if (plan.refused === 'removal') {
    throw forbidden('Moving this takes it from others: you need the right to delete it.');
  }
  const end = new Date(plan.at).toISOString();
  throw forbidden(`Access to this item that ends at ${end} would not end in that folder.`);
}

/** Writes the grants found by `checkMoveOfRights`. */
export async function grantAfterMove(
  tx: Db,
  caller: Caller,
  cogId: number,
  grants: readonly GrantToWrite[],
): Promise<void> {
  if (grants.length > 0) await putGrants(tx, caller, cogId, grants);
}

/**
 * Whom a cog belongs to: its owner, or if they no longer own it, somebody who does, the caller
 * first.
 */
export async function rightfulOwner(
  tx: Db,
  caller: Caller,
  { id, owner_id }: Pick<Reached, 'id' | 'owner_id'>,
): Promise<number> {
  const owners = decidingGrants(await findPlacedGrants(tx, caller, id), new Date())
    .filter(({ level }) => level === 'owner')
    .toSorted((one, other) => one.distance - other.distance);
  const owns = (userId: number) => owners.some(({ user_id }) => user_id === userId);
  const [nearest] = owners;
  if (!nearest || owns(owner_id)) return owner_id;
  const owner = await findUser(tx, caller.tenant_id, owner_id);
  if (owner?.role === 'admin') return owner_id;
  return owns(caller.user_id) ? caller.user_id : nearest.user_id;
}

/** Removes the grants on a cog that is being deleted. @returns them. */
export const endGrantsOn = (tx: Db, tenantId: number, cogId: number): Promise<EndedGrant[]> =>
  removePermissionsOn(tx, tenantId, cogId);

/** Writes the grants a restored cog has, given those that ended with it: see restoring.ts. */
export async function grantAfterRestoration(
  tx: Db,
  caller: Caller,
  { id, owner_id }: Pick<Reached, 'id' | 'owner_id'>,
  ended: readonly EndedGrant[],
): Promise<void> {
  const userIds = [owner_id, ...ended.map(({ user_id }) => user_id)];
  const roles = await findRoles(tx, caller.tenant_id, userIds);
  const grants = planRestoration({
    owner: { user_id: owner_id, role: roles.get(owner_id) ?? 'member' },
    ended: ended
      .filter(({ user_id }) => roles.get(user_id) === 'member')
      .map((grant) => ({ ...grant, distance: 0 })),
    above: await findPlacedGrants(tx, caller, id),
    now: Date.now(),
  });
  if (grants.length > 0) await putGrants(tx, caller, id, grants);
}
