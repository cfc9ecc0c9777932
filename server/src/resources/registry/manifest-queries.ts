/** SQL of manifests and tags. */
import type { Db } from '../../db/connection.ts';
import type { Tag } from '../../db/statement.ts';

type Place = { tenant_id: number; repository: string };

export type ManifestRow = { digest: string; media_type: string; key: string; size_bytes: number };

/** By its digest, or that of the tag. */
export async function findManifest(db: Tag, { tenant_id, repository }: Place, reference: string) {
  const [row] = await db<ManifestRow[]>`
    select manifest.digest, manifest.media_type, objects.key, blob.size_bytes
    from registry_manifests as manifest
    join registry_blobs as blob
      on blob.tenant_id = manifest.tenant_id and blob.digest = manifest.digest
    join objects on objects.tenant_id = blob.tenant_id and objects.id = blob.object_id
    where manifest.tenant_id = ${tenant_id} and manifest.repository = ${repository}
      and manifest.digest = coalesce((
        select tag.digest
        from registry_tags as tag
        where tag.tenant_id = ${tenant_id} and tag.repository = ${repository}
          and tag.tag = ${reference}
      ), ${reference})
  `;
  return row;
}

/** The manifests among these, locked against being deleted until the transaction ends. */
export const holdManifests = (
  tx: Db,
  { tenant_id, repository }: Place,
  digests: readonly string[],
) => tx<{ digest: string }[]>`
  select digest
  from registry_manifests
  where tenant_id = ${tenant_id} and repository = ${repository}
    and digest = any(${digests as string[]})
  order by digest
  for key share
`;

/** Adds a manifest, unless it is there, and holds it until the transaction ends. */
export const addManifest = (
  tx: Db,
  { tenant_id, repository }: Place,
  manifest: {
    digest: string;
    media_type: string;
    artifact_type: string | undefined;
    subject: string | undefined;
    annotations: string | undefined;
    user_id: number | null;
  },
) => tx`
  insert into registry_manifests (
    tenant_id, repository, digest, media_type, artifact_type, subject, annotations, created_by
  )
  values (
    ${tenant_id}, ${repository}, ${manifest.digest}, ${manifest.media_type},
    ${manifest.artifact_type ?? null}, ${manifest.subject ?? null},
    ${manifest.annotations ?? null}::text::jsonb, ${manifest.user_id}
  )
  on conflict (tenant_id, repository, digest) do update set media_type = excluded.media_type
`;

export const addReferences = (
  tx: Db,
  { tenant_id, repository }: Place,
  digest: string,
  refersTo: readonly string[],
) => tx`
  insert into registry_references (tenant_id, repository, digest, refers_to)
  select ${tenant_id}, ${repository}, ${digest}, refers_to
  from unnest(${refersTo as string[]}::text[]) as refers_to
  on conflict do nothing
`;

type By = { user_id: number | null; is_admin: boolean };

/**
 * Makes the tag, or moves it. @returns false if it names another manifest, and is not the user's to
 * move.
 */
export async function setTag(
  tx: Db,
  { tenant_id, repository }: Place,
  tag: string,
  digest: string,
  { user_id, is_admin }: By,
): Promise<boolean> {
  const { count } = await tx`
    insert into registry_tags (tenant_id, repository, tag, digest, created_by)
    values (${tenant_id}, ${repository}, ${tag}, ${digest}, ${user_id})
    on conflict (tenant_id, repository, tag) do update
    set digest = excluded.digest, updated_at = now()
    where registry_tags.digest = excluded.digest or registry_tags.created_by = ${user_id}
      or ${is_admin}::boolean
  `;
  return count > 0;
}

/** Locks a tag. @returns who made it. */
export async function lockTag(tx: Db, { tenant_id, repository }: Place, tag: string) {
  const [row] = await tx<{ created_by?: number }[]>`
    select created_by
    from registry_tags
    where tenant_id = ${tenant_id} and repository = ${repository} and tag = ${tag}
    for update
  `;
  return row;
}

export const removeTag = (tx: Db, { tenant_id, repository }: Place, tag: string) => tx`
  delete from registry_tags
  where tenant_id = ${tenant_id} and repository = ${repository} and tag = ${tag}
`;

/** Locks a manifest. */
export async function lockManifest(tx: Db, { tenant_id, repository }: Place, digest: string) {
  const [row] = await tx<{ created_by?: number }[]>`
    select created_by
    from registry_manifests
    where tenant_id = ${tenant_id} and repository = ${repository} and digest = ${digest}
    for update
  `;
  return row;
}

/** Whether somebody else has a tag on the manifest, or a list of platforms with it. */
export async function isNamedByOthers(
  tx: Db,
  { tenant_id, repository }: Place,
  digest: string,
  userId: number,
): Promise<boolean> {
  const { count } = await tx`
    select 1 from registry_tags
    where tenant_id = ${tenant_id} and repository = ${repository} and digest = ${digest}
      and created_by is distinct from ${userId}
    union all
    select 1
    from registry_references as reference
    join registry_manifests as list
      on list.tenant_id = reference.tenant_id and list.repository = reference.repository
      and list.digest = reference.digest
    where reference.tenant_id = ${tenant_id} and reference.repository = ${repository}
      and reference.refers_to = ${digest} and list.created_by is distinct from ${userId}
    limit 1
  `;
  return count > 0;
}

/** With its tags. */
export const removeManifest = (tx: Db, { tenant_id, repository }: Place, digest: string) => tx`
  delete from registry_manifests
  where tenant_id = ${tenant_id} and repository = ${repository} and digest = ${digest}
`;

/** Makes another user the maker of the manifests and tags of one. @returns how many manifests. */
export async function setImageMaker(
  tx: Db,
  { tenant_id, from, to }: { tenant_id: number; from: number; to: number },
): Promise<number> {
  const { count } = await tx`
    update registry_manifests set created_by = ${to}
    where tenant_id = ${tenant_id} and created_by = ${from}
  `;
  await tx`
    update registry_tags set created_by = ${to}
    where tenant_id = ${tenant_id} and created_by = ${from}
  `;
  return count;
}

export const listTagNames = (
  db: Tag,
  { tenant_id, repository }: Place,
  { after, limit }: { after: string; limit: number },
) => db<{ name: string }[]>`
  select tag as name
  from registry_tags
  where tenant_id = ${tenant_id} and repository = ${repository} and tag > ${after}
  order by tag
  limit ${limit}
`;

export const hasRepository = async (db: Tag, { tenant_id, repository }: Place) =>
  (
    await db`
      select from registry_manifests
      where tenant_id = ${tenant_id} and repository = ${repository}
      limit 1
    `
  ).count > 0;

/** From one name to the next along the index: a repository may have thousands of manifests. */
export const listRepositories = (
  db: Tag,
  tenantId: number,
  { after, limit }: { after: string; limit: number },
) => db<{ name: string }[]>`
  with recursive names as (
    (
      select repository as name
      from registry_manifests
      where tenant_id = ${tenantId} and repository > ${after}
      order by repository
      limit 1
    )
    union all
    select (
      select repository
      from registry_manifests
      where tenant_id = ${tenantId} and repository > names.name
      order by repository
      limit 1
    )
    from names
    where names.name is not null
  )
  select name from names where name is not null limit ${limit}
`;

export type ReferrerRow = {
  digest: string;
  media_type: string;
  artifact_type?: string;
  annotations?: Record<string, string>;
  size_bytes: number;
};

/** The manifests whose subject has this digest. */
export const listReferrers = (
  db: Tag,
  { tenant_id, repository }: Place,
  subject: string,
  { after, limit, type }: { after: string; limit: number; type: string | undefined },
) => db<ReferrerRow[]>`
  select manifest.digest, manifest.media_type, manifest.artifact_type, manifest.annotations,
         blob.size_bytes
  from registry_manifests as manifest
  join registry_blobs as blob
    on blob.tenant_id = manifest.tenant_id and blob.digest = manifest.digest
  where manifest.tenant_id = ${tenant_id} and manifest.repository = ${repository}
    and manifest.subject = ${subject} and manifest.digest > ${after}
    and (${type ?? null}::text is null or manifest.artifact_type = ${type ?? null}::text)
  order by manifest.digest
  limit ${limit}
`;
