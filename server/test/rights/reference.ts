/**
 * The rights of users, computed as simply as possible from the rows: a reference for the server. It
 * shares no code with the server's rules.
 */
import type { Db } from '../../src/db/connection.ts';

export type CogState = { id: number; parent_id?: number; cog_type: string; is_deleted: boolean };

export type GrantState = {
  id: number;
  cog_id: number;
  user_id: number;
  level: 'viewer' | 'editor' | 'owner';
  can_upload?: boolean;
  can_share?: boolean;
  can_delete?: boolean;
  expires_at?: string;
};

export type State = { cogs: Map<number, CogState>; grants: GrantState[] };

/** One bit per right, so that "no more than" is a single operation. */
export const bits = { view: 1, upload: 2, edit: 4, delete: 8, share: 16, own: 32 };
export const allBits = 63;

/** The state of these cogs, and all grants of the tenant. */
export async function readState(db: Db, tenantId: number, ids: number[]): Promise<State> {
  const cogs = db<CogState[]>`
    select id, parent_id, cog_type, deleted_at is not null as is_deleted
    from cogs where tenant_id = ${tenantId} and id = any(${ids})
  `;
  const grants = db<GrantState[]>`
    select id, cog_id, user_id, level, can_upload, can_share, can_delete, expires_at
    from permissions where tenant_id = ${tenantId} order by id
  `;
  return { cogs: new Map((await cogs).map((cog) => [cog.id, cog])), grants: [...(await grants)] };
}

/** From the cog up to the root; empty if it or an ancestor is deleted. */
export function wayUp({ cogs }: State, id: number): number[] {
  const way: number[] = [];
  for (let at = cogs.get(id); at; at = at.parent_id ? cogs.get(at.parent_id) : undefined) {
    if (at.is_deleted) return [];
    way.push(at.id);
  }
  return way;
}

/** The rights by grants at a moment; 0 for none. */
export function rightsAt(state: State, userId: number, cogId: number, at: number): number {
  for (const id of wayUp(state, cogId)) {
    const grant = state.grants.find(
      (one) => one.cog_id === id && one.user_id === userId && endOf(one) > at,
    );
    if (grant) return bitsOf(grant);
  }
  return 0;
}

export const endOf = ({ expires_at }: Pick<GrantState, 'expires_at'>) =>
  expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires_at);

export function bitsOf(grant: Omit<GrantState, 'id' | 'cog_id' | 'user_id'>): number {
  const { level } = grant;
  const upload = grant.can_upload ?? level !== 'viewer';
  const edit = upload && level !== 'viewer';
  return (
    bits.view |
    (upload ? bits.upload : 0) |
    (edit ? bits.edit : 0) |
    ((grant.can_delete ?? level === 'owner') ? bits.delete : 0) |
    ((grant.can_share ?? level === 'owner') ? bits.share : 0) |
    (level === 'owner' ? bits.own : 0)
  );
}

/** Now and every later time at which a grant of either state expires. */
export function momentsOf(now: number, ...states: State[]): number[] {
  const ends = states.flatMap((state) => state.grants.map(endOf));
  return [...new Set([now, ...ends.filter((end) => end > now && Number.isFinite(end))])];
}

export const isBelow = (state: State, id: number, folderId: number) =>
  id !== folderId && wayUp(state, id).includes(folderId);
