/**
 * The effect of a move on rights, as a pure function. A move never raises access: the mover has no
 * more afterwards than before, others gain no more by it than the mover has, and owners of the cog
 * stay owners. Where the new place would not ensure this, grants on the cog itself do.
 *
 * Only grants on the two ways up to the root count. Grants on the cog and below move along, and
 * what lies below inherits exactly what the cog has.
 */
import {
  type AccessOverTime,
  accessOverTime,
  everything,
  givingOverTime,
  isLive,
  isWithin,
  momentsOf,
} from './over-time.ts';
import { type Access, covers, type Grant, grantOf, least, type PlacedGrant } from './rules.ts';

/** A member's grant on the way up; on both ways the same grant has the same id. */
export type GrantOnTheWay = PlacedGrant & { permission_id: number };

export type Move = {
  mover: { user_id: number; role: 'admin' | 'member' };
  /** Members' grants on the way up from the cog, including expired ones. */
  before: readonly GrantOnTheWay[];
  /** The same for the target folder. */
  target: readonly GrantOnTheWay[];
  /** The mover's grants below the cog. */
  below: readonly (Grant & { expires_at?: string })[];
  now: number;
};

export type GrantToWrite = Grant & { user_id: number; expires_at?: string };

export type MovePlan =
  /** The mover needs the right to delete: the move takes the cog away from others. */
  | { refused: 'removal' }
  /**
   * From that time on somebody would have more than the mover can give, or than they had before.
   */
  | { refused: 'outlasts'; at: number }
  /** Grants on the cog itself, replacing those that these users have there. */
  | { grants: GrantToWrite[] };

export function planMove({ mover, before, target, below, now }: Move): MovePlan {
  const onCog = before.filter((grant) => grant.distance === 0 && isLive(grant, now));
  const fromTarget = target.map((grant) => ({ ...grant, distance: grant.distance + 1 }));
  const ways = { before: byUser(before), after: byUser([...onCog, ...fromTarget]) };
  const moversGrants = ways.before.get(mover.user_id) ?? [];
  const giving =
    mover.role === 'admin' ? everything : givingOverTime(accessOverTime(moversGrants), below);

  const grants: GrantToWrite[] = [];
  for (const user_id of new Set([...ways.before.keys(), ...ways.after.keys()])) {
    const was = ways.before.get(user_id) ?? [];
    const becomes = ways.after.get(user_id) ?? [];
    const isMover = user_id === mover.user_id;
    const outcome = outcomeFor({ was, becomes, giving, isMover, moversGrants, below, now });
    if ('at' in outcome) return { refused: 'outlasts', at: outcome.at };
    if (outcome.grant) grants.push({ user_id, ...outcome.grant });
  }
  const mayRemove = giving(now)?.can_delete === true;
  if (!mayRemove && isRemoval(mover.user_id, ways, target, grants, now)) {
    return { refused: 'removal' };
  }
  return { grants };
}

type Ways = Record<'before' | 'after', ReadonlyMap<number, GrantOnTheWay[]>>;

/**
 * A move takes the cog away from others if it leaves the folder that gives the mover access. If the
 * mover's access is a grant on the cog itself, which moves along, it depends on whether anybody can
 * no longer see the cog.
 */
function isRemoval(
  moverId: number,
  { before, after }: Ways,
  target: readonly GrantOnTheWay[],
  grants: readonly GrantToWrite[],
  now: number,
): boolean {
  const deciding = nearest(before.get(moverId) ?? [], now);
  if (deciding && deciding.distance > 0) {
    return !target.some((grant) => grant.permission_id === deciding.permission_id);
  }
  const sees = (user_id: number, was: GrantOnTheWay[]) =>
    nearest(was, now) === undefined ||
    nearest(after.get(user_id) ?? [], now) !== undefined ||
    grants.some((grant) => grant.user_id === user_id);
  return ![...before].every(([user_id, was]) => sees(user_id, was));
}

type Situation = {
  was: GrantOnTheWay[];
  becomes: GrantOnTheWay[];
  /** What the mover can give of the cog. */
  giving: AccessOverTime;
  isMover: boolean;
  moversGrants: GrantOnTheWay[];
  below: Move['below'];
  now: number;
};

/** The grant one user needs on the cog, or the time from which no grant could satisfy the rules. */
function outcomeFor(given: Situation): { grant?: Omit<GrantToWrite, 'user_id'> } | { at: number } {
  const { was, becomes, giving, isMover, now } = given;
  const moments = momentsOf(now, was, becomes, given.moversGrants, given.below);
  const [had, has] = [accessOverTime(was), accessOverTime(becomes)];
  const mayHave = (access: Access | undefined, at: number) =>
    isWithin(access, had(at)) || (!isMover && isWithin(access, giving(at)));
  const isTooMuch = (at: number) => !mayHave(has(at), at);

  // Owners keep ownership; a mover who would lose sight of the cog keeps their access while it
  // lasts.
  const isOwner = had(now)?.level === 'owner';
  const keeps = (at: number) =>
    isOwner
      ? had(at)?.level === 'owner'
      : isMover && has(now) === undefined && isWithin(had(now), had(at));
  const kept = until(moments, (at) => !keeps(at));
  if (kept.during.some((at) => !isWithin(had(at), has(at)))) {
    const after = moments.filter((at) => !kept.during.includes(at));
    const tooLate = after.find(isTooMuch);
    return tooLate === undefined ? { grant: grantFor(kept, had) } : { at: tooLate };
  }

  const tooMuch = moments.find(isTooMuch);
  if (tooMuch === undefined) return {};
  // The grant on the cog was given explicitly: a move does not change it.
  if (becomes.some((grant) => grant.distance === 0)) return { at: tooMuch };
  // What the new place gives, reduced to what may be given, for as long as the place gives it.
  const limit = isMover ? had(now) : larger(giving(now), had(now));
  const present = has(now);
  const allowed = present && limit && least(present, limit);
  const restricted = until(moments, (at) => !isWithin(allowed, has(at)));
  const never = moments.find((at) =>
    restricted.during.includes(at) ? !mayHave(allowed, at) : isTooMuch(at),
  );
  return never === undefined ? { grant: grantFor(restricted, () => allowed) } : { at: never };
}

/** The moments before the first one at which something is true, and that one. */
function until(moments: readonly number[], isOver: (at: number) => boolean) {
  const end = moments.findIndex(isOver);
  return end < 0
    ? { during: moments, end: undefined }
    : { during: moments.slice(0, end), end: moments[end] };
}

/** The least access somebody has throughout that time, as a grant for that time. */
function grantFor(
  { during, end }: ReturnType<typeof until>,
  access: AccessOverTime,
): Omit<GrantToWrite, 'user_id'> {
  const [first, ...rest] = during.flatMap((at) => access(at) ?? []);
  if (!first) throw new Error('There is no access to make a grant of.');
  return {
    ...grantOf(least(first, ...rest)),
    ...(end === undefined ? {} : { expires_at: new Date(end).toISOString() }),
  };
}

function nearest(grants: readonly GrantOnTheWay[], now: number): GrantOnTheWay | undefined {
  return grants
    .filter((grant) => isLive(grant, now))
    .toSorted((one, other) => one.distance - other.distance)[0];
}

function larger(one: Access | undefined, other: Access | undefined): Access | undefined {
  if (!one || !other) return one ?? other;
  return covers(one, other) ? one : other;
}

const byUser = (grants: readonly GrantOnTheWay[]) => Map.groupBy(grants, ({ user_id }) => user_id);
