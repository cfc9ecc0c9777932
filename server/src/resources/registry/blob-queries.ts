/** SQL of blobs. */
import type { Db } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';

export type BlobRow = { key: string; size_bytes: number; unused_since?: string };

export async function findBlob(db: Tag, tenantId: number, digest: string) {
  const [row] = await db<BlobRow[]>`
    select objects.key, blob.size_bytes, blob.unused_since
    from registry_blobs as blob
    join objects on objects.tenant_id = blob.tenant_id and objects.id = blob.object_id
    where blob.tenant_id = ${tenantId} and blob.digest = ${digest}
  `;
  return row;
}

/** Begins the time anew after which an unused blob is removed. @returns false if it is gone. */
export async function touchBlob(db: Db, tenantId: number, digest: string): Promise<boolean> {
  const { count } = await db`
    update registry_blobs
    set unused_since = case when unused_since is not null then now() end
    where tenant_id = ${tenantId} and digest = ${digest}
  `;
  return count > 0;
}

/** Adds a blob, unless there is one of this digest. @returns the object that has its bytes. */
export async function addBlob(
  tx: Db,
  tenantId: number,
  blob: { digest: string; object_id: number; size_bytes: number },
): Promise<number> {
  const [row] = await tx<{ object_id: number }[]>`
    insert into registry_blobs (tenant_id, digest, object_id, size_bytes, unused_since)
    values (${tenantId}, ${blob.digest}, ${blob.object_id}, ${blob.size_bytes}, now())
    on conflict (tenant_id, digest) do update
    set unused_since = case when registry_blobs.unused_since is not null then now() end
    returning object_id
  `;
  if (!row) throw new Error('The blob was not added.');
  return row.object_id;
}

/** Gives a blob, locked by `addBlob`, another object. */
export const replaceObject = (tx: Db, tenantId: number, digest: string, objectId: number) => tx`
  update registry_blobs
  set object_id = ${objectId}
  where tenant_id = ${tenantId} and digest = ${digest}
`;

/** The blobs among these, locked against being removed until the transaction ends. */
export const holdBlobs = (tx: Db, tenantId: number, digests: readonly string[]) => tx<
  { digest: string; size_bytes: number }[]
>`
  select digest, size_bytes
  from registry_blobs
  where tenant_id = ${tenantId} and digest = any(${digests as string[]})
  order by digest
  for key share
`;

/** Notes that a manifest is about to be removed, with what it refers to. */
export const setUnused = (tx: Db, tenantId: number, repository: string, digest: string) => tx`
  with released as materialized (
    select digest
    from registry_blobs
    where tenant_id = ${tenantId} and digest in (
      select refers_to
      from registry_references
      where tenant_id = ${tenantId} and repository = ${repository} and digest = ${digest}
      union
      select digest
      from registry_manifests
      where tenant_id = ${tenantId} and repository = ${repository} and digest = ${digest}
    )
    -- In a fixed order, to avoid a deadlock with the removal of a manifest that has the same ones.
    order by digest
    for no key update
  )
  update registry_blobs
  set unused_since = now()
  from released
  where registry_blobs.tenant_id = ${tenantId} and registry_blobs.digest = released.digest
`;

export type BlobName = { tenant_id: number; digest: string };

/** Blobs that may be unused since `before`, locked; those that something takes are left out. */
export const lockUnused = (tx: Db, before: Date, limit: number) => tx<BlobName[]>`
  select tenant_id, digest
  from registry_blobs
  where unused_since <= ${before}
  order by unused_since, tenant_id, digest
  limit ${limit}
  for update skip locked
`;

const named = (db: Db, blobs: readonly BlobName[]) => db`
  unnest(
    ${blobs.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${blobs.map(({ digest }) => digest)}::text[]
  ) as named (tenant_id, digest)
`;

const isUsed = (db: Db) => db`
  exists (
    select from registry_references as reference
    where reference.tenant_id = blob.tenant_id and reference.refers_to = blob.digest
  ) or exists (
    select from registry_manifests as manifest
    where manifest.tenant_id = blob.tenant_id and manifest.digest = blob.digest
  )
`;

/** Of locked blobs: notes which are used after all. */
export const setUsed = (tx: Db, blobs: readonly BlobName[]) => tx`
  update registry_blobs as blob
  set unused_since = null
  from ${named(tx, blobs)}
  where blob.tenant_id = named.tenant_id and blob.digest = named.digest and (${isUsed(tx)})
`;

/** Removes those of the locked blobs that nothing refers to. @returns their objects. */
export const removeUnused = (tx: Db, blobs: readonly BlobName[]) => tx<
  { tenant_id: number; id: number }[]
>`
  delete from registry_blobs as blob
  using ${named(tx, blobs)}
  where blob.tenant_id = named.tenant_id and blob.digest = named.digest and not (${isUsed(tx)})
  returning blob.tenant_id, blob.object_id as id
`;
