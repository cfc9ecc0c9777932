/** SQL of the versions of files. */
import type { Db } from '../../../db/connection.ts';
import { pageOf } from '../../../db/page-of.ts';
import { goingLive, holdingPending } from '../../../objects/pieces.ts';
import type { Page } from '../../../pages.ts';
import type { StoredObject } from '../../../storage/storage.ts';
import type { FileVersion } from '../schema.ts';

export type VersionRow = FileVersion & { object_id: number; key: string };

/** The contents of a file, the current one included, as `version`. */
const versionsOf = (db: Db, tenantId: number, cogId: number) => db`
  (
    select
      contents.*, objects.key, objects.size_bytes, objects.checksum_sha256
    from (
      select
        version, object_id, mime_type, coalesce(stored_by, owner_id) as created_by,
        coalesce(stored_at, created_at) as created_at, restored_from, true as is_current
      from cogs
      where tenant_id = ${tenantId} and id = ${cogId}
      union all
      select
        version, object_id, mime_type, stored_by as created_by, stored_at as created_at,
        restored_from, false as is_current
      from file_versions
      where tenant_id = ${tenantId} and cog_id = ${cogId}
    ) as contents
    join objects on objects.tenant_id = ${tenantId} and objects.id = contents.object_id
  ) as version
`;

/** Newest first. */
export function findVersions(db: Db, tenantId: number, cogId: number, page: Page) {
  const ordered = db`
    select version.*
    from ${versionsOf(db, tenantId, cogId)}
    where ${page.after ? db`version.version < ${Number(page.after[0])}` : db`true`}
    order by version.version desc
  `;
  return db<VersionRow[]>`${pageOf(db, page, ordered)}`;
}

export async function countVersions(db: Db, tenantId: number, cogId: number): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) from ${versionsOf(db, tenantId, cogId)}
  `;
  return row?.count ?? 0;
}

export async function findVersion(
  db: Db,
  tenantId: number,
  cogId: number,
  version: number,
): Promise<VersionRow | undefined> {
  const [row] = await db<VersionRow[]>`
    select version.*
    from ${versionsOf(db, tenantId, cogId)}
    where version.version = ${version}
  `;
  return row;
}

/** Stored bytes that become the content of a file. */
export type NewContent = StoredObject & { cog_id: number; object_id: number; mime_type: string };

type By = { tenant_id: number; user_id: number };

/**
 * Makes pending objects, which go live, the contents of files, one each.
 *
 * @returns the files that changed: not those whose object is no longer pending.
 */
export function storeVersions(tx: Db, by: By, contents: readonly NewContent[]) {
  const of = <Column extends Exclude<keyof NewContent, 'crc32'>>(column: Column) =>
    contents.map((content) => content[column]);
  return tx<{ id: number }[]>`
    with wanted as materialized (
      select *
      from unnest(
        ${of('cog_id')}::bigint[], ${of('object_id')}::bigint[], ${of('size_bytes')}::bigint[],
        ${of('checksum_sha256')}::text[],
        ${contents.map(({ crc32 }) => crc32 ?? null)}::bigint[], ${of('mime_type')}::text[]
      ) as wanted (cog_id, object_id, size_bytes, checksum_sha256, crc32, mime_type)
    ),
    held as (${holdingPending(tx, by.tenant_id, tx`wanted`)}),
    made as (select wanted.* from wanted join held on held.id = wanted.object_id),
    live as (${goingLive(tx, tx`made`)}),
    ${changingContent(tx, by, tx`select *, ${uploaded(tx)} from made`)}
    returning cogs.id
  `;
}

/** Makes the content of an earlier version the current one again, as a new version. */
export async function repeatVersion(
  tx: Db,
  by: By & { cog_id: number },
  version: number,
): Promise<number> {
  const { count } = await changeContent(
    tx,
    by,
    tx`
      select
        cog_id, object_id,
        (select size_bytes from objects where id = object_id) as size_bytes,
        mime_type, version as restored_from,
        null::bigint as copied_from, null::int as copied_from_version
      from file_versions
      where tenant_id = ${by.tenant_id} and cog_id = ${by.cog_id} and version = ${version}
    `,
  );
  return count;
}

/** Makes the current content of another file the one of this, as a new version. */
export const takeOver = (
  tx: Db,
  by: By & { cog_id: number },
  { from, mime_type }: { from: number; mime_type: string },
) =>
  changeContent(
    tx,
    by,
    tx`
      select
        ${by.cog_id}::bigint as cog_id, object_id, size_bytes, ${mime_type}::text as mime_type,
        null::int as restored_from, copied_from, copied_from_version
      from cogs
      where tenant_id = ${by.tenant_id} and id = ${from}
    `,
  );

/** What a content that came from outside has nothing of. */
const uploaded = (tx: Db) => tx`
  null::int as restored_from, null::bigint as copied_from, null::int as copied_from_version
`;

const changeContent = (tx: Db, by: By, contents: ReturnType<Db>) =>
  tx`with ${changingContent(tx, by, contents)}`;

/** Keeps the current contents as versions, and takes over those of `contents`. */
const changingContent = (tx: Db, { tenant_id, user_id }: By, contents: ReturnType<Db>) => tx`
  content as (${contents}),
  kept as (
    insert into file_versions
      (tenant_id, cog_id, version, object_id, mime_type, stored_by, stored_at, restored_from,
       copied_from, copied_from_version)
    select
      tenant_id, id, version, cogs.object_id, cogs.mime_type, coalesce(stored_by, owner_id),
      coalesce(stored_at, created_at), cogs.restored_from, cogs.copied_from,
      cogs.copied_from_version
    from content
    join cogs on cogs.tenant_id = ${tenant_id} and cogs.id = content.cog_id
  )
  update cogs
  set object_id = content.object_id, size_bytes = content.size_bytes,
      mime_type = content.mime_type, version = version + 1,
      stored_by = ${user_id}, stored_at = now(), restored_from = content.restored_from,
      copied_from = content.copied_from, copied_from_version = content.copied_from_version,
      updated_at = now()
  from content
  where cogs.tenant_id = ${tenant_id} and cogs.id = content.cog_id
`;

/** @returns the object of the removed version, undefined if there is none. */
export async function removeVersion(
  tx: Db,
  tenantId: number,
  cogId: number,
  version: number,
): Promise<number | undefined> {
  const [row] = await tx<{ object_id: number }[]>`
    delete from file_versions
    where tenant_id = ${tenantId} and cog_id = ${cogId} and version = ${version}
    returning object_id
  `;
  return row?.object_id;
}
