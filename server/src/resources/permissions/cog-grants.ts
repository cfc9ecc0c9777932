/**
 * What making, moving and deleting cogs does to grants, and what a caller can give of a cog. The
 * decisions are moves.ts's and over-time.ts's; here is what they need to know.
 */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { forbidden } from '../../errors.ts';
import type { Granted, Reached } from './access.ts';
import { type GrantToWrite, planMove } from './moves.ts';
import { accessOverTime, everything, givingOverTime, momentsOf } from './over-time.ts';
import {
  findLesserGrantsBelow,
  findPlacedGrants,
  putGrants,
  removePermissionsOn,
} from './queries.ts';
import { accessBy, type PlacedGrant } from './rules.ts';

/** What the caller has on a cog and can give of it, and when that changes. */
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

/** The caller's grants on what lies below a cog that may give less than one on the cog does. */
async function grantsBelow(tx: Db, caller: Caller, { id, cog_type }: Reached) {
  return cog_type === 'file' || caller.role === 'admin'
    ? []
    : findLesserGrantsBelow(tx, caller, id);
}

/** @throws DomainError `forbidden` when something in the folder is not the caller's to delete. */
export async function requireDeleteInside(tx: Db, caller: Caller, cog: Reached): Promise<void> {
  const below = await grantsBelow(tx, caller, cog);
  if (below.every((grant) => accessBy(grant).can_delete)) return;
  throw forbidden('There is something in this folder that you may not delete.');
}

/**
 * The grants that a move has to write on the cog, so that it raises nobody and its owners stay.
 *
 * @throws DomainError `forbidden` when no grant could, or when it takes the right to delete.
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

/** Writes what `checkMoveOfRights` found. */
export async function grantAfterMove(
  tx: Db,
  caller: Caller,
  cogId: number,
  grants: readonly GrantToWrite[],
): Promise<void> {
  if (grants.length > 0) await putGrants(tx, caller, cogId, grants);
}

/** Removes the grants on a deleted cog; those below it cannot be reached any more. */
export function removeGrantsOn(tx: Db, tenantId: number, cogId: number): Promise<number[]> {
  return removePermissionsOn(tx, tenantId, cogId);
}
