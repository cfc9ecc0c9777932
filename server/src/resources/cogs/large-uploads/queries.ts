/** SQL of uploads in several steps. */
import type { Db } from '../../../db/connection.ts';
import { pageOf } from '../../../db/page-of.ts';
import { addingObjects, fitting } from '../../../objects/pieces.ts';
import type { Page } from '../../../pages.ts';
import type { uploadStates } from './schema.ts';

export type UploadRow = {
  id: number;
  tenant_id: number;
  user_id: number;
  parent_id?: number;
  cog_id?: number;
  name: string;
  mime_type: string;
  file_size: number;
  chunk_size: number;
  /** As declared. */
  checksum_sha256?: string;
  object_id?: number;
  storage_upload_id?: string;
  state: (typeof uploadStates)[number];
  verified_bytes: number;
  /** Whether a confirmation is under way, in this process or another one. */
  is_claimed: boolean;
  created_at: string;
  expires_at: string;
  /** Of its object, as long as it has one. */
  key?: string;
  /** What the object has, once that is known. */
  stored_bytes?: number;
  stored_sha256?: string;
  stored_crc32?: number;
};

/** What is recorded before anything of an upload is stored. */
export type NewUploadRow = Pick<UploadRow, 'name' | 'mime_type' | 'file_size' | 'chunk_size'> &
  Partial<Pick<UploadRow, 'parent_id' | 'cog_id' | 'checksum_sha256'>> & {
    user_id: number;
    key: string;
  };

/** Requires `uploads`, and `objects` on its left side or null. */
const columns = (db: Db) => db`
  uploads.id, uploads.tenant_id, uploads.user_id, uploads.parent_id, uploads.cog_id, uploads.name,
  uploads.mime_type, uploads.file_size, uploads.chunk_size, uploads.checksum_sha256,
  uploads.object_id, uploads.storage_upload_id, uploads.verified_bytes,
  case
    when uploads.state = 'open' and uploads.expires_at <= now() then 'expired'
    else uploads.state
  end as state,
  coalesce(uploads.state = 'completing' and uploads.claimed_until > now(), false) as is_claimed,
  uploads.created_at, uploads.expires_at,
  objects.key, objects.size_bytes as stored_bytes, objects.checksum_sha256 as stored_sha256,
  objects.crc32 as stored_crc32
`;

const withObjects = (db: Db) => db`
  left join objects
    on objects.tenant_id = uploads.tenant_id and objects.id = uploads.object_id
`;

/**
 * Records uploads, each with a pending object for which its bytes are reserved; without those for
 * which the tenant has no room. They end unless they are begun within `seconds`.
 */
export function addUploads(
  tx: Db,
  tenantId: number,
  rows: readonly NewUploadRow[],
  seconds: number,
) {
  const of = <Column extends keyof NewUploadRow>(column: Column) =>
    rows.map((row) => row[column] ?? null) as Exclude<NewUploadRow[Column], undefined>[];
  return tx<{ id: number; key: string }[]>`
    with wanted as materialized (
      select *
      from unnest(
        ${of('key')}::text[], ${of('user_id')}::bigint[], ${of('parent_id')}::bigint[],
        ${of('cog_id')}::bigint[], ${of('name')}::text[], ${of('mime_type')}::text[],
        ${of('file_size')}::bigint[], ${of('chunk_size')}::bigint[],
        ${of('checksum_sha256')}::text[], ${fitting(tx, tenantId, of('file_size'))}
      ) as wanted
        (key, user_id, parent_id, cog_id, name, mime_type, file_size, chunk_size, checksum_sha256,
         fits)
    ),
    object as (${addingObjects(
      tx,
      tenantId,
      tx`(select key, file_size as reserved_bytes, fits from wanted)`,
      seconds,
    )})
    insert into uploads
      (tenant_id, user_id, parent_id, cog_id, name, mime_type, file_size, chunk_size,
       checksum_sha256, object_id, expires_at)
    select
      ${tenantId}, user_id, parent_id, cog_id, name, mime_type, file_size, chunk_size,
      checksum_sha256, object.id, object.expires_at
    from wanted
    join object using (key)
    returning id, (select key from object where object.id = uploads.object_id) as key
  `;
}

/** Notes what the storage calls them, and gives them `seconds`; their objects one more day. */
export function setBegun(
  tx: Db,
  tenantId: number,
  begun: readonly { id: number; storage_upload_id: string }[],
  seconds: number,
) {
  return tx<{ id: number; expires_at: string }[]>`
    with begun as (
      update uploads
      set storage_upload_id = given.storage_upload_id,
          expires_at = now() + ${seconds} * interval '1 second'
      from unnest(
        ${begun.map(({ id }) => id)}::bigint[],
        ${begun.map(({ storage_upload_id }) => storage_upload_id)}::text[]
      ) as given (id, storage_upload_id)
      where uploads.tenant_id = ${tenantId} and uploads.id = given.id and uploads.state = 'open'
      returning uploads.id, uploads.object_id, uploads.expires_at
    ),
    extended as (
      update objects
      set expires_at = begun.expires_at + interval '1 day'
      from begun
      where objects.tenant_id = ${tenantId} and objects.id = begun.object_id
        and objects.state = 'pending'
    )
    select id, expires_at from begun
  `;
}

/** Those of the uploads that belong to these users. */
export function findUploads(
  db: Db,
  tenantId: number,
  wanted: readonly { id: number; user_id: number }[],
) {
  return db<UploadRow[]>`
    select ${columns(db)}
    from unnest(
      ${wanted.map(({ id }) => id)}::bigint[], ${wanted.map(({ user_id }) => user_id)}::bigint[]
    ) as wanted (id, user_id)
    join uploads
      on uploads.tenant_id = ${tenantId} and uploads.id = wanted.id
      and uploads.user_id = wanted.user_id and uploads.storage_upload_id is not null
    ${withObjects(db)}
  `;
}

type Owner = { tenant_id: number; user_id: number };

const isOpen = (db: Db, { tenant_id, user_id }: Owner) => db`
  uploads.tenant_id = ${tenant_id} and uploads.user_id = ${user_id}
  and uploads.state in ('open', 'completing') and uploads.storage_upload_id is not null
  and (uploads.state = 'completing' or uploads.expires_at > now())
`;

/** The user's uploads that have not ended, newest first. */
export function findOpenUploads(db: Db, owner: Owner, page: Page) {
  const ordered = db`
    select ${columns(db)}
    from uploads
    ${withObjects(db)}
    where ${isOpen(db, owner)}
      and ${page.after ? db`uploads.id < ${Number(page.after[0])}` : db`true`}
    order by uploads.id desc
  `;
  return db<UploadRow[]>`${pageOf(db, page, ordered)}`;
}

export async function countOpenUploads(db: Db, owner: Owner): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*) from uploads where ${isOpen(db, owner)}
  `;
  return row?.count ?? 0;
}

/** How many uploads of the user have not ended, counted up to `most`, and when the first of these expires. */
export async function countUpTo(
  db: Db,
  { tenant_id, user_id }: Owner,
  most: number,
): Promise<{ count: number; expires_at?: string }> {
  const [row] = await db<{ count: number; expires_at?: string }[]>`
    select count(*), min(expires_at) as expires_at
    from (
      select expires_at
      from uploads
      where tenant_id = ${tenant_id} and user_id = ${user_id} and state in ('open', 'completing')
      order by id
      limit ${most}
    ) as open
  `;
  return row ?? { count: 0 };
}

/** Claims uploads for a confirmation, unless one is under way. @returns those it got. */
export function claimUploads(
  db: Db,
  tenantId: number,
  wanted: readonly { id: number; claim: string }[],
  claim_ms: number,
) {
  return db<{ id: number }[]>`
    update uploads
    set state = 'completing', claim = wanted.claim, verified_bytes = 0,
        claimed_until = now() + ${claim_ms} * interval '1 millisecond'
    from unnest(
      ${wanted.map(({ id }) => id)}::bigint[], ${wanted.map(({ claim }) => claim)}::uuid[]
    ) as wanted (id, claim)
    where uploads.tenant_id = ${tenantId} and uploads.id = wanted.id
      and uploads.expires_at > now()
      and (uploads.state = 'open'
        or (uploads.state = 'completing' and uploads.claimed_until <= now()))
    returning uploads.id
  `;
}

export type Claimed = { tenant_id: number; id: number; claim: string };

export type Renewal = { id: number; claim: string; verified_bytes: number };

/** Extends claims. @returns those that still hold. */
export function renewClaims(
  db: Db,
  tenantId: number,
  wanted: readonly Renewal[],
  claim_ms: number,
) {
  return db<{ id: number }[]>`
    with own as (
      select uploads.id, uploads.claim, wanted.verified_bytes
      from uploads
      join unnest(
        ${wanted.map(({ id }) => id)}::bigint[], ${wanted.map(({ claim }) => claim)}::uuid[],
        ${wanted.map(({ verified_bytes }) => verified_bytes)}::bigint[]
      ) as wanted (id, claim, verified_bytes) using (id, claim)
      where uploads.tenant_id = ${tenantId} and uploads.state = 'completing'
    ),
    -- Whoever has locked one makes its file, or ends it; waiting for several could deadlock.
    free as (
      select id
      from uploads
      where tenant_id = ${tenantId} and id in (select id from own)
      for no key update skip locked
    ),
    renewed as (
      update uploads
      set verified_bytes = own.verified_bytes,
          claimed_until = now() + ${claim_ms} * interval '1 millisecond'
      from own
      join free using (id)
      where uploads.tenant_id = ${tenantId} and uploads.id = own.id
        and uploads.claim = own.claim and uploads.state = 'completing'
    )
    select id from own
  `;
}

/**
 * Ends a claim; the upload can be confirmed again, unless it has ended meanwhile or is to end now.
 *
 * @returns the upload as it is then; undefined if the claim had been taken over.
 */
export async function endClaim(
  db: Db,
  { tenant_id, id, claim }: Claimed,
  next: 'open' | 'failed',
): Promise<UploadRow['state'] | undefined> {
  const [row] = await db<{ state: UploadRow['state'] }[]>`
    update uploads
    set state = case when state = 'completing' then ${next} else state end,
        expires_at = case when ${next === 'failed'} then now() else expires_at end,
        claim = null, claimed_until = null
    where tenant_id = ${tenant_id} and id = ${id} and claim = ${claim}
    returning state
  `;
  return row?.state;
}

/** Aborts those of these uploads that are the user's and have not ended. @returns which. */
export function setAborted(db: Db, { tenant_id, user_id }: Owner, ids: readonly number[]) {
  return db<{ id: number }[]>`
    update uploads
    set state = 'aborted', expires_at = now()
    where tenant_id = ${tenant_id} and id = any(${ids}::bigint[]) and user_id = ${user_id}
      and state in ('open', 'completing')
    returning id
  `;
}

/** Aborts all uploads of the user that have not ended. */
export const setAllAborted = (db: Db, { tenant_id, user_id }: Owner) => db`
  update uploads
  set state = 'aborted', expires_at = now()
  where tenant_id = ${tenant_id} and user_id = ${user_id} and state in ('open', 'completing')
`;

/**
 * Locks claimed uploads and their objects. @returns what the objects have; an upload that has ended
 * is left out.
 */
export const lockCompleting = (tx: Db, tenantId: number, ids: readonly number[]) => tx<
  { id: number; checksum_sha256?: string }[]
>`
  select uploads.id, objects.checksum_sha256
  from uploads
  join objects on objects.tenant_id = uploads.tenant_id and objects.id = uploads.object_id
  where uploads.tenant_id = ${tenantId} and uploads.id = any(${ids as number[]})
    and uploads.state = 'completing'
  order by uploads.id
  for update
`;

/** Ends locked uploads whose object is the content of a file now, a new one or a version. */
export const setDone = (tx: Db, tenantId: number, ids: readonly number[]) => tx`
  update uploads
  set state = 'done', cog_id = cogs.id, object_id = null, verified_bytes = file_size,
      claim = null, claimed_until = null, expires_at = now() + ${keptDays} * interval '1 day'
  from cogs
  where uploads.tenant_id = ${tenantId} and uploads.id = any(${ids as number[]})
    and uploads.state = 'completing'
    and cogs.tenant_id = ${tenantId} and cogs.object_id = uploads.object_id
`;

/** How long an upload that has ended is remembered, so that repeating its confirmation is answered. */
const keptDays = 30;

export type EndedUpload = { tenant_id: number; id: number; object_id: number; key: string };

/** Uploads whose time is over, and those that were ended; their objects are still to be removed. */
export function takeEnded(db: Db, now: Date, limit: number) {
  return db<EndedUpload[]>`
    with ended as (
      select tenant_id, id
      from uploads
      where expires_at <= ${now} and object_id is not null
        and (claimed_until is null or claimed_until <= ${now})
      order by expires_at, tenant_id, id
      limit ${limit}
      for update skip locked
    )
    update uploads
    set state = case
          when uploads.state in ('open', 'completing') then 'expired'
          else uploads.state
        end,
        claim = null, claimed_until = null
    from ended
    join uploads as one using (tenant_id, id)
    join objects on objects.tenant_id = one.tenant_id and objects.id = one.object_id
    where uploads.tenant_id = ended.tenant_id and uploads.id = ended.id
    returning uploads.tenant_id, uploads.id, uploads.object_id, objects.key
  `;
}

/** Those of these uploads that have ended, and of which no confirmation is under way. */
export function takeEndedOf(db: Db, tenantId: number, ids: readonly number[]) {
  return db<EndedUpload[]>`
    select uploads.tenant_id, uploads.id, uploads.object_id, objects.key
    from uploads
    join objects on objects.tenant_id = uploads.tenant_id and objects.id = uploads.object_id
    where uploads.tenant_id = ${tenantId} and uploads.id = any(${ids}::bigint[])
      and uploads.state not in ('open', 'completing', 'done')
      and (uploads.claimed_until is null or uploads.claimed_until <= now())
  `;
}

/** Lets go of the objects of ended uploads. */
export const releaseUploads = (tx: Db, ended: readonly EndedUpload[]) => tx`
  update uploads
  set object_id = null, expires_at = now() + ${keptDays} * interval '1 day'
  from unnest(
    ${ended.map(({ tenant_id }) => tenant_id)}::bigint[], ${ended.map(({ id }) => id)}::bigint[]
  ) as ended (tenant_id, id)
  where uploads.tenant_id = ended.tenant_id and uploads.id = ended.id
    and uploads.state not in ('open', 'completing')
`;

/** Forgets uploads that ended long ago. @returns how many. */
export async function forgetUploads(db: Db, now: Date, limit: number): Promise<number> {
  const { count } = await db`
    delete from uploads
    using (
      select tenant_id, id
      from uploads
      where expires_at <= ${now} and object_id is null
      order by expires_at, tenant_id, id
      limit ${limit}
      for update skip locked
    ) as old
    where uploads.tenant_id = old.tenant_id and uploads.id = old.id
  `;
  return count;
}
