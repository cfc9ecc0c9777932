/** SQL of download URLs. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { pageOf } from '../../../db/page-of.ts';
import type { Tag } from '../../../db/statement.ts';
import type { Page } from '../../../pages.ts';
import { cogByKey, reaching, type WalkRow, walkColumns } from '../../permissions/access.ts';
import type { StoredFile, StoredFolder } from '../files/queries.ts';
import { withObjects } from '../queries.ts';
import type { DownloadUrl } from '../schema.ts';

const shownColumns = (db: Db) => db`
  url.id, url.cog_ids, url.version, url.inline, url.created_by, url.created_at, url.expires_at
`;

/** It works until its time is over, or its maker is disabled or has lost the API key it was made with. */
const isLive = (db: Tag) => db`
  (
    url.expires_at > now()
    and exists (
      select from users
      where users.tenant_id = url.tenant_id and users.id = url.created_by
        and users.status = 'active'
    )
    and (
      url.key_id is null or exists (
        select from api_keys as key
        where key.tenant_id = url.tenant_id and key.id = url.key_id and key.revoked_at is null
          and (key.expires_at is null or key.expires_at > now())
      )
    )
  )
`;

export type NewUrlRow = {
  token_hash: Buffer;
  cog_ids: readonly number[];
  is_selection: boolean;
  version: number | undefined;
  inline: boolean;
  expires_in: number;
};

export async function addUrl(
  db: Db,
  { tenant_id, user_id, key_id }: Caller,
  { token_hash, cog_ids, is_selection, version, inline, expires_in }: NewUrlRow,
): Promise<DownloadUrl> {
  const [row] = await db<DownloadUrl[]>`
    insert into download_urls as url
      (tenant_id, token_hash, cog_ids, is_selection, version, inline, created_by, key_id, expires_at)
    values (
      ${tenant_id}, ${token_hash}, ${cog_ids}, ${is_selection}, ${version ?? null}, ${inline},
      ${user_id}, ${key_id ?? null}, now() + ${expires_in} * interval '1 second'
    )
    returning ${shownColumns(db)}
  `;
  return row as DownloadUrl;
}

/** Whose URLs, and of which cog. */
export type WhichUrls = { tenant_id: number; created_by?: number; cog_id?: number };

const listed = (db: Db, { tenant_id, created_by, cog_id }: WhichUrls) => db`
  from download_urls as url
  where url.tenant_id = ${tenant_id} and ${isLive(db)}
    ${created_by === undefined ? db`` : db`and url.created_by = ${created_by}`}
    ${cog_id === undefined ? db`` : db`and url.cog_ids @> array[${cog_id}::bigint]`}
`;

/** Live ones, newest first. */
export function findUrls(db: Db, which: WhichUrls, page: Page) {
  const ordered = db`
    select ${shownColumns(db)}
    ${listed(db, which)}
      ${page.after ? db`and url.id < ${Number(page.after[0])}` : db``}
    order by url.id desc
  `;
  return db<DownloadUrl[]>`${pageOf(db, page, ordered)}`;
}

export async function countUrls(db: Db, which: WhichUrls): Promise<number> {
  const [row] = await db<{ count: number }[]>`select count(*) ${listed(db, which)}`;
  return row?.count ?? 0;
}

/** Locked against being revoked twice. */
export async function lockUrl(tx: Db, tenantId: number, id: number) {
  const [row] = await tx<DownloadUrl[]>`
    select ${shownColumns(tx)}
    from download_urls as url
    where url.tenant_id = ${tenantId} and url.id = ${id} and ${isLive(tx)}
    for update
  `;
  return row;
}

export const removeUrl = (tx: Db, tenantId: number, id: number) => tx`
  delete from download_urls where tenant_id = ${tenantId} and id = ${id}
`;

/** Removes some whose time is over. @returns how many. */
export async function removeExpired(db: Db, limit: number): Promise<number> {
  const { count } = await db`
    with expired as (
      select id from download_urls
      where expires_at <= now()
      order by expires_at
      limit ${limit}
      for update skip locked
    )
    delete from download_urls using expired where download_urls.id = expired.id
  `;
  return count;
}

/** What a URL gives: its maker; and unless it is a selection, the cog and their right to it. */
export type UsedUrl = {
  tenant_id: number;
  created_by: number;
  role: Caller['role'];
  cog_ids: number[];
  is_selection: boolean;
  version?: number;
  inline: boolean;
} & ((WalkRow & (StoredFile | StoredFolder)) | { id?: undefined });

/** In one statement, because it is all that a download needs. */
export async function findUsed(db: Tag, tokenHash: Buffer): Promise<UsedUrl | undefined> {
  const tenantId = db`url.tenant_id`;
  const who = { tenant_id: tenantId, user_id: db`url.created_by` };
  const [row] = await db<UsedUrl[]>`
    select
      url.tenant_id, url.created_by, url.cog_ids, url.is_selection, url.version,
      url.inline, maker.role,
      ${walkColumns(db)},
      cogs.name, cogs.mime_type, objects.key, objects.size_bytes, objects.checksum_sha256
    from (
      select url.* from download_urls as url where url.token_hash = ${tokenHash} offset 0
    ) as url
    join lateral (
      select users.role
      from users
      where users.tenant_id = url.tenant_id and users.id = url.created_by
      offset 0
    ) as maker on true
    left join lateral ${cogByKey(db, tenantId, db`url.cog_ids[1]`)} on not url.is_selection
    ${withObjects(db)}
    ${reaching(db, who)}
    where walk.is_alive and ${isLive(db)}
  `;
  return row;
}
