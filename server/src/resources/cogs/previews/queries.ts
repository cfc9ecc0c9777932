/** SQL of previews: which are made, being made, or cannot be made. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Tag } from '../../../db/statement.ts';
import { goingLive, holdingPending } from '../../../objects/pieces.ts';
import type { StoredObject } from '../../../storage/storage.ts';
import { cogsAmong, reaching, type WalkRow, walkColumns } from '../../permissions/access.ts';
import { withObjects } from '../queries.ts';

/** At most one of `made_key`, `reason` and `is_claimed` says something. */
export type PreviewState = {
  made_key?: string;
  made_bytes?: number;
  made_sha256?: string;
  reason?: string;
  /** Being made, in some process. */
  is_claimed: boolean;
};

/** An object that a preview is made of. */
export type Source = { object_id: number; key: string; size_bytes: number };

/** A preview that was too costly may have met a busy machine: it is tried thrice, an hour apart. */
const mayRetry = (db: Tag) => db`
  previews.reason = 'too_costly' and previews.tries < 3
  and previews.failed_at < now() - interval '1 hour'
`;

const stateColumns = (db: Tag) => db`
  made.key as made_key, made.size_bytes as made_bytes, made.checksum_sha256 as made_sha256,
  case when not (${mayRetry(db)}) then previews.reason end as reason,
  coalesce(previews.claimed_until > now(), false) as is_claimed
`;

const withMade = (db: Tag) => db`
  left join objects as made
    on made.tenant_id = previews.tenant_id and made.id = previews.preview_object_id
`;

/** A cog with the facts that determine its readers; for a file, its content and preview. */
export async function findPreviewOf(
  db: Tag,
  who: Caller,
  id: number,
  size: number,
): Promise<(WalkRow & Source & PreviewState) | undefined> {
  const [row] = await db<(WalkRow & Source & PreviewState)[]>`
    select
      ${walkColumns(db)}, cogs.object_id, objects.key, objects.size_bytes, ${stateColumns(db)}
    from ${cogsAmong(db, who, [id])}
    ${withObjects(db)}
    left join previews
      on previews.tenant_id = cogs.tenant_id and previews.object_id = cogs.object_id
      and previews.size = ${size}
    ${withMade(db)}
    ${reaching(db, who)}
    where walk.is_alive
  `;
  return row;
}

export async function findPreview(
  db: Tag,
  tenantId: number,
  objectId: number,
  size: number,
): Promise<PreviewState | undefined> {
  const [row] = await db<PreviewState[]>`
    select ${stateColumns(db)}
    from previews
    ${withMade(db)}
    where previews.tenant_id = ${tenantId} and previews.object_id = ${objectId}
      and previews.size = ${size}
  `;
  return row;
}

export type Claim = { tenant_id: number; object_id: number; size: number; claim: string };

/** @returns whether nobody else has it, it is to be made, and its source is live. */
export async function claimPreview(db: Db, given: Claim, seconds: number): Promise<boolean> {
  const { tenant_id, object_id, size, claim } = given;
  const { count } = await db`
    with source as materialized (
      select tenant_id, id
      from objects
      where tenant_id = ${tenant_id} and id = ${object_id} and state = 'live'
      for key share
    )
    insert into previews (tenant_id, object_id, size, claim, claimed_until)
    select tenant_id, id, ${size}, ${claim}, now() + ${seconds} * interval '1 second'
    from source
    on conflict (tenant_id, object_id, size) do update
    set claim = excluded.claim, claimed_until = excluded.claimed_until, reason = null,
        failed_at = null, tries = previews.tries + 1
    where previews.claimed_until <= now() or (${mayRetry(db)})
  `;
  return count > 0;
}

/** Remembers why there is none. */
export const setFailed = (
  db: Db,
  { tenant_id, object_id, size, claim }: Claim,
  reason: string,
) => db`
  update previews
  set reason = ${reason}, failed_at = now(), claim = null, claimed_until = null
  where tenant_id = ${tenant_id} and object_id = ${object_id} and size = ${size}
    and claim = ${claim}
`;

/** Gives a claim back, so that the next request tries again. */
export const dropClaim = (db: Db, { tenant_id, object_id, size, claim }: Claim) => db`
  delete from previews
  where tenant_id = ${tenant_id} and object_id = ${object_id} and size = ${size}
    and claim = ${claim}
`;

/**
 * Makes a stored pending object the preview. @returns whether it is: not if the claim was lost, or
 * the source was removed.
 */
export async function setMade(
  db: Db,
  { tenant_id, object_id, size, claim }: Claim,
  made: StoredObject & { id: number },
): Promise<boolean> {
  const { count } = await db`
    with claimed as materialized (
      select tenant_id
      from previews
      where tenant_id = ${tenant_id} and object_id = ${object_id} and size = ${size}
        and claim = ${claim}
      for update
    ),
    wanted as (select ${made.id}::bigint as object_id from claimed),
    held as materialized (${holdingPending(db, tenant_id, db`wanted`)}),
    made as (
      select held.id as object_id, ${made.size_bytes}::bigint as size_bytes,
             ${made.checksum_sha256}::text as checksum_sha256, null::bigint as crc32
      from held
    ),
    live as (${goingLive(db, db`made`)})
    update previews
    set preview_object_id = made.object_id, claim = null, claimed_until = null
    from made
    where previews.tenant_id = ${tenant_id} and previews.object_id = ${object_id}
      and previews.size = ${size}
  `;
  return count > 0;
}
