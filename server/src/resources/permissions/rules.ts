/**
 * The permission rules for cogs, as pure functions. access.ts finds a cog's grants;
 * docs/permissions.md explains the rules.
 */
export const levels = ['viewer', 'editor', 'owner'] as const;
export type Level = (typeof levels)[number];

/** The contents of a grant. An unset override leaves the capability to the level. */
export type Grant = {
  level: Level;
  can_upload?: boolean;
  can_share?: boolean;
  can_delete?: boolean;
};

/** Effective access: a grant with its overrides applied. */
export type Access = Required<Grant>;

/**
 * What an operation requires. `upload`: put something into a folder; `edit`: change the cog itself.
 */
export type Need = 'view' | 'upload' | 'edit' | 'delete' | 'share';

export const ownership: Access = {
  level: 'owner',
  can_upload: true,
  can_share: true,
  can_delete: true,
};

const capabilities: Record<Level, Omit<Access, 'level'>> = {
  viewer: { can_upload: false, can_share: false, can_delete: false },
  editor: { can_upload: true, can_share: false, can_delete: false },
  owner: { can_upload: true, can_share: true, can_delete: true },
};

/** The access given by a grant. */
export function accessBy({ level, can_upload, can_share, can_delete }: Grant): Access {
  const usual = capabilities[level];
  return {
    level,
    can_upload: can_upload ?? usual.can_upload,
    can_share: can_share ?? usual.can_share,
    can_delete: can_delete ?? usual.can_delete,
  };
}

export type Situation = {
  role: 'admin' | 'member';
  is_root: boolean;
  /** The tenant's folder for the results of all runs. */
  is_outputs?: boolean;
  /** The folder of a test's results, which is removed after a day. */
  is_test_results?: boolean;
  /** The deciding grant: the nearest unexpired one on the way up to the root. */
  grant?: Grant | undefined;
};

/**
 * A user's access to a cog; undefined if they may not even see it. Admins own everything in their
 * tenant. Every member sees the root and the folder for results, and creates in them, unless a
 * grant there forbids it. This applies to these two folders only, not to their contents. Into a
 * folder of a test's results nobody puts anything: it would be lost with it.
 */
export function accessIn({ is_test_results, ...situation }: Situation): Access | undefined {
  const access = usualAccess(situation);
  return access && is_test_results ? { ...access, can_upload: false } : access;
}

function usualAccess({ role, is_root, is_outputs, grant }: Situation): Access | undefined {
  if (role === 'admin') return ownership;
  const isCommon = is_root || is_outputs === true;
  if (grant) return accessBy(isCommon ? { ...grant, can_upload: grant.can_upload ?? true } : grant);
  return isCommon ? { ...accessBy({ level: 'viewer' }), can_upload: true } : undefined;
}

/** Whether an access suffices. Editing needs both the level and the capability to upload. */
export function allows(access: Access | undefined, need: Need): boolean {
  if (!access) return false;
  switch (need) {
    case 'view':
      return true;
    case 'upload':
      return access.can_upload;
    case 'edit':
      return access.can_upload && access.level !== 'viewer';
    case 'delete':
      return access.can_delete;
    case 'share':
      return access.can_share;
  }
}

/** Whether `held` covers all of `other`: nobody gives, changes or takes more than they have. */
export function covers(held: Access, other: Access): boolean {
  return (
    levels.indexOf(held.level) >= levels.indexOf(other.level) &&
    (held.can_upload || !other.can_upload) &&
    (held.can_share || !other.can_share) &&
    (held.can_delete || !other.can_delete)
  );
}

/** The intersection of these. */
export function least(one: Access, ...others: readonly Access[]): Access {
  return others.reduce(
    (held, other) => ({
      level: levels[Math.min(levels.indexOf(held.level), levels.indexOf(other.level))] ?? 'viewer',
      can_upload: held.can_upload && other.can_upload,
      can_share: held.can_share && other.can_share,
      can_delete: held.can_delete && other.can_delete,
    }),
    one,
  );
}

/** The grant for exactly this access, with overrides only where it differs from the level. */
export function grantOf({ level, ...held }: Access): Grant {
  const usual = capabilities[level];
  return {
    level,
    ...(held.can_upload === usual.can_upload ? {} : { can_upload: held.can_upload }),
    ...(held.can_share === usual.can_share ? {} : { can_share: held.can_share }),
    ...(held.can_delete === usual.can_delete ? {} : { can_delete: held.can_delete }),
  };
}

/**
 * Whether a user with this access to a folder owns what they create in it without a separate grant.
 */
export const ownsWhatIsInside = (access: Access | undefined) =>
  access !== undefined && covers(access, ownership);

/** A grant on the way from a cog (distance 0) up to the root. */
export type PlacedGrant = Grant & { user_id: number; distance: number; expires_at?: string };

/** The deciding grant of each user. */
export function decidingGrants<T extends PlacedGrant>(grants: readonly T[], now: Date): T[] {
  const deciding = new Map<number, T>();
  for (const grant of grants) {
    if (grant.expires_at !== undefined && Date.parse(grant.expires_at) <= now.getTime()) continue;
    const nearest = deciding.get(grant.user_id);
    if (!nearest || grant.distance < nearest.distance) deciding.set(grant.user_id, grant);
  }
  return [...deciding.values()];
}

/**
 * Whether a change of grants leaves a cog without an owner, or without a lasting one, that it had
 * before. Tenant admins are not counted, since they own everything anyway.
 */
export function losesItsOwner(
  before: readonly PlacedGrant[],
  after: readonly PlacedGrant[],
  now: Date,
): boolean {
  const owners = (grants: readonly PlacedGrant[]) =>
    decidingGrants(grants, now).filter((grant) => grant.level === 'owner');
  const lasting = (grants: readonly PlacedGrant[]) =>
    owners(grants).filter((grant) => grant.expires_at === undefined);
  return (
    (owners(before).length > 0 && owners(after).length === 0) ||
    (lasting(before).length > 0 && lasting(after).length === 0)
  );
}
