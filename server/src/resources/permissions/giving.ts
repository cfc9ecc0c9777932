/** Whether somebody may put a grant where another, or none, is: a function of values. */
import { type AccessOverTime, accessOverTime, isLive, isWithin, momentsOf } from './over-time.ts';
import { accessBy, covers, type PlacedGrant } from './rules.ts';

/** A change of one user's grant on one cog. */
export type GrantChange = {
  /** What the giver has on the cog itself. */
  held: AccessOverTime;
  /** What the giver can give of it: see `givingOverTime`. */
  giving: AccessOverTime;
  /** When something about what the giver has changes. */
  moments: readonly number[];
  /** The user's grants on the way up to the root, the one on the cog at distance 0. */
  before: readonly PlacedGrant[];
  /** What takes the place of the one on the cog; undefined: nothing. */
  wanted?: PlacedGrant | undefined;
  now: number;
};

/** `more`: than the giver has. A moment: from which on the giver has no more as much to give. */
export type GrantFault = 'more' | { until: number };

/**
 * Compared is what the user may do before and after, at every moment to come. A grant can lower
 * as well as raise, and what it hides comes back when it expires: nobody gives, changes or takes
 * more than they have, and nothing that is given outlasts what the giver has.
 */
export function grantFault(change: GrantChange): GrantFault | undefined {
  const { held, giving, before, wanted, now } = change;
  const onCog = before.find((grant) => grant.distance === 0 && isLive(grant, now));
  const others = before.filter((grant) => grant.distance > 0);
  const after = wanted ? [...others, wanted] : others;
  const [was, becomes] = [accessOverTime(before), accessOverTime(after)];
  if (!isWithin(was(now), held(now)) || !isWithin(becomes(now), giving(now))) return 'more';

  const moments = [...momentsOf(now, before, after), ...change.moments];
  if (wanted && !(onCog && isNoMoreThan(wanted, onCog))) {
    const given = accessBy(wanted);
    const ends = moments.filter((at) => isLive(wanted, at) && !isWithin(given, giving(at)));
    if (ends.length > 0) return { until: Math.min(...ends) };
  }
  const isLawful = (at: number) =>
    isWithin(becomes(at), giving(at)) || isWithin(becomes(at), was(at));
  return moments.every(isLawful) ? undefined : 'more';
}

/** A lesser grant for no longer time takes away and gives nothing, whoever makes it. */
function isNoMoreThan(wanted: PlacedGrant, present: PlacedGrant): boolean {
  const end = ({ expires_at }: PlacedGrant) =>
    expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
  return covers(accessBy(present), accessBy(wanted)) && end(wanted) <= end(present);
}
