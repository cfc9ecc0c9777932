/**
 * Who may do what to a cog: functions of values. How a cog's grants are found is access.ts's
 * business; docs/permissions.md has the same rules in words.
 */
export const levels = ['viewer', 'editor', 'owner'] as const;
export type Level = (typeof levels)[number];

/** What a grant says. An override without a value leaves the capability to the level. */
export type Grant = {
  level: Level;
  can_upload?: boolean;
  can_share?: boolean;
  can_delete?: boolean;
};

/** What somebody may do in effect: a grant with its overrides applied. */
export type Access = Required<Grant>;

/** What an operation needs. `upload`: put something into a folder; `edit`: change the cog itself. */
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

/** The access that a grant gives. */
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
  /** The tenant's folder of all runs' results. */
  is_outputs?: boolean;
  /** The deciding grant: the nearest on the way up to the root that has not expired. */
  grant?: Grant | undefined;
};

/**
 * What somebody may do to a cog, or undefined when not even see it. Admins own everything in
 * their tenant. Every member sees the root and the folder of all results, and creates in them,
 * unless a grant there says no. This reaches no further than the two folders themselves.
 */
export function accessIn({ role, is_root, is_outputs, grant }: Situation): Access | undefined {
  if (role === 'admin') return ownership;
  const isCommon = is_root || is_outputs === true;
  if (grant) return accessBy(isCommon ? { ...grant, can_upload: grant.can_upload ?? true } : grant);
  return isCommon ? { ...accessBy({ level: 'viewer' }), can_upload: true } : undefined;
}

/** Whether an access is enough. To edit, both the level and the capability to upload are. */
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

/** What all of these allow. */
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

/** The grant that gives exactly this access, with overrides only where the level says otherwise. */
export function grantOf({ level, ...held }: Access): Grant {
  const usual = capabilities[level];
  return {
    level,
    ...(held.can_upload === usual.can_upload ? {} : { can_upload: held.can_upload }),
    ...(held.can_share === usual.can_share ? {} : { can_share: held.can_share }),
    ...(held.can_delete === usual.can_delete ? {} : { can_delete: held.can_delete }),
  };
}

/** Whether who has this access in a folder owns what they make in it, without a grant of its own. */
export const ownsWhatIsInside = (access: Access | undefined) =>
  access !== undefined && covers(access, ownership);

/** A grant on the way from a cog (distance 0) up to the root. */
export type PlacedGrant = Grant & { user_id: number; distance: number; expires_at?: string };

/** Of each user the deciding one of these grants. */
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
 * Whether a change of grants leaves a cog without an owner it had: none at all, or none that
 * lasts. Tenant admins are not counted, since they own everything anyway.
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
