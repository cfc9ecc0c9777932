/**
 * The effects of moving, deleting and restoring cogs on grants, and what a caller can give. Reads
 * what moves.ts, restoring.ts and over-time.ts need to decide.
 */

import type { Caller } from '../../callers.ts';
import type { Db } from '../../db/connection.ts';
import { attempt, type Decided, resultOf } from '../../decided.ts';
import { forbidden } from '../../errors.ts';
import { findUser } from '../users/users.ts';
import type { Granted, Reached } from './access.ts';
import { type GrantOnTheWay, type GrantToWrite, type MovePlan, planMove } from './moves.ts';
import { accessOverTime, everything, givingOverTime, momentsOf } from './over-time.ts';
import {
  findGrantsAlong,
  findLesserGrantsBelow,
  findPlacedGrants,
  findRoles,
  type LesserGrant,
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
  const below = cog.cog_type === 'file' ? [] : await findLesserGrantsBelow(tx, caller, [cog.id]);
  const held = accessOverTime(own);
  return { held, giving: givingOverTime(held, below), moments: momentsOf(now, own, below) };
}

/** The grants that matter for changes of some cogs, as of one time. */
export type GrantsAround = {
  /** All on the cog itself, as they are kept when it is deleted. */
  on(id: number): EndedGrant[];
  /** Members' grants on a way up to the root, including expired ones. */
  along(path: readonly number[]): GrantOnTheWay[];
  /** The caller's grants below a folder that may give less than a grant on the folder. */
  below(id: number): readonly LesserGrant[];
};

export async function findGrantsAround(
  tx: Db,
  caller: Caller,
  ids: readonly number[],
): Promise<GrantsAround> {
  const [along, below] = await Promise.all([
    findGrantsAlong(tx, caller, ids),
    caller.role === 'admin' ? [] : findLesserGrantsBelow(tx, caller, ids),
  ]);
  const byCog = Map.groupBy(along, ({ cog_id }) => cog_id);
  const byFolder = Map.groupBy(below, ({ folder_id }) => folder_id);
  const on = (id: number) => byCog.get(id) ?? [];
  return {
    on: (id) => on(id).map(({ permission_id: _, cog_id: __, role: ___, ...grant }) => grant),
    along: (path) =>
      path.flatMap((id, distance) =>
        on(id)
          .filter(({ role }) => role === 'member')
          .map((grant) => ({ ...grant, distance })),
      ),
    below: (id) => byFolder.get(id) ?? [],
  };
}

/** @throws DomainError `forbidden` if the caller may not delete something in the folder. */
export function requireDeleteInside(below: readonly LesserGrant[]): void {
  if (below.every((grant) => accessBy(grant).can_delete)) return;
  throw forbidden('There is something in this folder that you may not delete.');
}

/** A cog, and its way up to the root, from itself. */
type OnPath = { id: number; path: readonly number[] };

/**
 * For moves to one folder: a function that finds the grants a move must write on a cog, so that it
 * raises nobody's access and owners stay owners. It throws `forbidden` if no grant could do that, or
 * the right to delete is missing.
 */
export function planMoves(
  caller: Caller,
  target: OnPath,
  grants: GrantsAround,
): (cog: OnPath) => GrantToWrite[] {
  const onTarget = grants.along(target.path);
  const plan = (cog: OnPath) =>
    attempt(() => {
      const before = grants.along(cog.path);
      const below = grants.below(cog.id);
      const move = { mover: caller, before, target: onTarget, below, now: Date.now() };
      return allowed(planMove(move));
    });
  // Hundreds of files of one folder without grants of their own have the same answer.
  const plans = new Map<number | undefined, Decided<GrantToWrite[]>>();
  return (cog) => {
    if (grants.on(cog.id).length > 0 || grants.below(cog.id).length > 0) return resultOf(plan(cog));
    const [, folderId] = cog.path;
    const known = plans.get(folderId) ?? plan(cog);
    plans.set(folderId, known);
    return resultOf(known);
  };
}

function allowed(plan: MovePlan): GrantToWrite[] {
  if ('grants' in plan) return plan.grants;
  if (plan.refused === 'removal') {
    throw forbidden('Moving this takes it from others: you need the right to delete it.');
  }
  const end = new Date(plan.at).toISOString();
  throw forbidden(`Access to this item that ends at ${end} would not end in that folder.`);
}

type Owned = { owner_id: number; owner_role: Caller['role'] | undefined };

/**
 * Whom a cog belongs to: its owner, or if they no longer own it, somebody who does, the caller
 * first.
 *
 * @param placed members' grants on the way up from the cog.
 */
export function rightfulOwner(
  caller: Caller,
  { owner_id, owner_role }: Owned,
  placed: readonly PlacedGrant[],
): number {
  const owners = decidingGrants(placed, new Date())
    .filter(({ level }) => level === 'owner')
    .toSorted((one, other) => one.distance - other.distance);
  const owns = (userId: number) => owners.some(({ user_id }) => user_id === userId);
  const [nearest] = owners;
  if (!nearest || owns(owner_id) || owner_role === 'admin') return owner_id;
  return owns(caller.user_id) ? caller.user_id : nearest.user_id;
}

/** The same for a single cog, with what it needs to know. */
export async function findRightfulOwner(
  tx: Db,
  caller: Caller,
  { id, owner_id }: Pick<Reached, 'id' | 'owner_id'>,
): Promise<number> {
  const placed = await findPlacedGrants(tx, caller, id);
  const owner = await findUser(tx, caller.tenant_id, owner_id);
  return rightfulOwner(caller, { owner_id, owner_role: owner?.role }, placed);
}

/** A deleted cog with the grants that ended with it, and its way up to the root, from itself. */
type Ended = OnPath & { owner_id: number; ended_grants?: readonly EndedGrant[] };

/** The roles of all who own these cogs, or had a grant on one. */
export const findRolesFor = (tx: Db, tenantId: number, cogs: readonly Omit<Ended, 'path'>[]) =>
  findRoles(tx, tenantId, [
    ...new Set(
      cogs.flatMap(({ owner_id, ended_grants = [] }) => [
        owner_id,
        ...ended_grants.map(({ user_id }) => user_id),
      ]),
    ),
  ]);

/** The grants that a restored cog gets: see restoring.ts. */
export const grantsForRestoration = (
  { owner_id, ended_grants = [], path }: Ended,
  roles: ReadonlyMap<number, Caller['role']>,
  grants: GrantsAround,
): GrantToWrite[] =>
  planRestoration({
    owner: { user_id: owner_id, role: roles.get(owner_id) ?? 'member' },
    ended: ended_grants
      .filter(({ user_id }) => roles.get(user_id) === 'member')
      .map((grant) => ({ ...grant, distance: 0 })),
    above: grants.along(path),
    now: Date.now(),
  });

/** Writes what `planMoves` and `grantsForRestoration` found. */
export async function writeGrants(
  tx: Db,
  caller: Caller,
  grants: readonly (GrantToWrite & { cog_id: number })[],
): Promise<void> {
  if (grants.length > 0) await putGrants(tx, caller, grants);
}

/** Removes the grants on cogs that are being deleted. */
export const endGrantsOn = (tx: Db, tenantId: number, cogIds: readonly number[]) =>
  removePermissionsOn(tx, tenantId, cogIds);
