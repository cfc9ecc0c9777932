/**
 * The effect of restoring a deleted cog on the grants that were on it when it was deleted, as a pure
 * function. Nobody gets access back that its place does not give them, except its owner; nobody has
 * more than before the deletion.
 */
import type { GrantToWrite } from './moves.ts';
import { accessOverTime, isLive, isWithin, momentsOf } from './over-time.ts';
import { accessBy, grantOf, least, losesItsOwner, ownership, type PlacedGrant } from './rules.ts';

/** A grant that ended with the cog it was on, as it is stored with the cog. */
export type EndedGrant = GrantToWrite;

export type Restoration = {
  /** Whom the cog belongs to. */
  owner: { user_id: number; role: 'admin' | 'member' };
  /** Members' grants that were on the cog. */
  ended: readonly PlacedGrant[];
  /** Members' grants on the folders above, including expired ones. */
  above: readonly PlacedGrant[];
  now: number;
};

/** @returns the grants to write on the cog. */
export function planRestoration({ owner, ended, above, now }: Restoration): GrantToWrite[] {
  const outcomes = ended
    .filter((grant) => isLive(grant, now))
    .map((grant) => ({
      grant,
      left:
        grant.level === 'owner' && grant.user_id === owner.user_id
          ? grant
          : withinPlace(grant, above, now),
    }));
  const after = () => [...above, ...outcomes.flatMap(({ left }) => left ?? [])];
  // The grant of its owner was revoked or expires: then it needs the others.
  if (losesItsOwner([...above, ...ended], after(), new Date(now))) {
    for (const outcome of outcomes)
      if (outcome.grant.level === 'owner') outcome.left = outcome.grant;
  }
  const left = outcomes.flatMap(({ left }) => left ?? []);
  const written = left.map(({ distance: _, ...grant }): GrantToWrite => grant);
  const isWritten = left.some(({ user_id }) => user_id === owner.user_id);
  if (!isWritten && ownsForGood(owner, after(), now))
    written.push({ user_id: owner.user_id, level: 'owner' });
  return written;
}

/** The part of a grant on the cog that only restricts what its user has by the place. */
function withinPlace(
  grant: PlacedGrant,
  above: readonly PlacedGrant[],
  now: number,
): PlacedGrant | undefined {
  const inherited = above.filter(({ user_id }) => user_id === grant.user_id);
  const has = accessOverTime(inherited);
  const moments = momentsOf(now, inherited);
  const end = moments.find((at) => has(at) === undefined);
  if (end === now) return undefined;
  const given = accessBy(grant);
  const allowed = least(given, ...moments.flatMap((at) => has(at) ?? []));
  const outlasts = end !== undefined && isLive(grant, end);
  if (isWithin(given, allowed) && !outlasts) return grant;
  const { user_id, distance, expires_at } = grant;
  const expiry = outlasts ? new Date(end).toISOString() : expires_at;
  return {
    ...{ user_id, distance, ...grantOf(allowed) },
    ...(expiry === undefined ? {} : { expires_at: expiry }),
  };
}

function ownsForGood(
  { user_id, role }: Restoration['owner'],
  grants: readonly PlacedGrant[],
  now: number,
): boolean {
  const own = grants.filter((grant) => grant.user_id === user_id);
  const has = accessOverTime(own);
  return role === 'admin' || momentsOf(now, own).every((at) => isWithin(ownership, has(at)));
}
