/** SQL of blobs that are arriving. */
import type { Db } from '../../db/connection.ts';

export type Upload = { tenant_id: number; user_id: number; repository: string; id: string };
export type Arrived = { size_bytes: number; object_ids: number[] };

/** @returns undefined if the user has too many. */
export async function addUpload(
  db: Db,
  { tenant_id, user_id, repository }: Omit<Upload, 'id'>,
  seconds: number,
  most: number,
): Promise<string | undefined> {
  const [row] = await db<{ id: string }[]>`
    insert into registry_uploads (tenant_id, repository, user_id, expires_at)
    select ${tenant_id}, ${repository}, ${user_id}, now() + ${seconds} * interval '1 second'
    where ${most} > (
      select count(*) from registry_uploads
      where tenant_id = ${tenant_id} and user_id = ${user_id}
    )
    returning id
  `;
  return row?.id;
}

const isUpload = (db: Db, { tenant_id, user_id, repository, id }: Upload) => db`
  tenant_id = ${tenant_id} and id = ${id} and user_id = ${user_id}
  and repository = ${repository} and expires_at > now()
`;

export async function findUpload(db: Db, upload: Upload): Promise<Arrived | undefined> {
  const [row] = await db<Arrived[]>`
    select size_bytes, object_ids from registry_uploads where ${isUpload(db, upload)}
  `;
  return row;
}

/**
 * Appends a piece to an upload that has `before.size_bytes`, and keeps all its pieces for `seconds`.
 *
 * @returns false if another piece came first, or the upload has ended.
 */
export async function appendPiece(
  db: Db,
  upload: Upload,
  before: Arrived,
  piece: { id: number; size_bytes: number },
  seconds: number,
): Promise<boolean> {
  const { count } = await db`
    update registry_uploads
    set size_bytes = size_bytes + ${piece.size_bytes}::bigint,
        object_ids = object_ids || ${piece.id}::bigint,
        expires_at = now() + ${seconds} * interval '1 second'
    where ${isUpload(db, upload)} and size_bytes = ${before.size_bytes}
      and object_ids = ${before.object_ids}::bigint[]
  `;
  return count > 0;
}

/** Ends an upload, if nothing came after `seen`. */
export async function removeUpload(db: Db, upload: Upload, seen: Arrived): Promise<boolean> {
  const { count } = await db`
    delete from registry_uploads
    where ${isUpload(db, upload)} and object_ids = ${seen.object_ids}::bigint[]
  `;
  return count > 0;
}

export type EndedUpload = { tenant_id: number; object_ids: number[] };

export const removeUploadsOf = (
  db: Db,
  { tenant_id, user_id }: { tenant_id: number; user_id: number },
) => db<EndedUpload[]>`
  delete from registry_uploads
  where tenant_id = ${tenant_id} and user_id = ${user_id}
  returning tenant_id, object_ids
`;

export const removeExpired = (db: Db, now: Date, limit: number) => db<EndedUpload[]>`
  delete from registry_uploads
  where (tenant_id, id) in (
    select tenant_id, id
    from registry_uploads
    where expires_at <= ${now}
    order by expires_at
    limit ${limit}
    for update skip locked
  )
  returning tenant_id, object_ids
`;

/** Pieces that are still there. */
export const findPieces = (db: Db, tenantId: number, ids: readonly number[]) => db<
  { id: number; key: string; size_bytes: number; checksum_sha256: string }[]
>`
  select id, key, size_bytes, checksum_sha256
  from objects
  where tenant_id = ${tenantId} and id = any(${ids as number[]}) and state = 'pending'
    and size_bytes is not null
`;
