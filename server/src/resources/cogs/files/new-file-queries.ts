/** SQL of new files: many at once of one tenant, of several users, in several folders. */
import type { Db } from '../../../db/connection.ts';
import { goingLive, holdingPending } from '../../../objects/pieces.ts';
import type { StoredObject } from '../../../storage/storage.ts';
import { grantingMakers } from '../../permissions/access.ts';
import type { MadeCog } from '../queries.ts';

export type NewFileRow = StoredObject & {
  parent_id: number;
  name: string;
  owner_id: number;
  /** A pending object whose bytes are stored. */
  object_id: number;
  mime_type: string;
  /** Whether the owner gets a grant on it. */
  granted: boolean;
};

/** Without an id it was not created: a sibling has the name, or the object is no longer pending. */
export type MadeFile = Partial<MadeCog> & { object_id: number; is_pending: boolean };

/**
 * Creates files for pending objects, which go live with them. Of several with one name, one is
 * created.
 */
export function addFiles(tx: Db, tenantId: number, files: readonly NewFileRow[]) {
  const of = <Column extends Exclude<keyof NewFileRow, 'crc32'>>(column: Column) =>
    files.map((file) => file[column]);
  return tx<MadeFile[]>`
    with wanted as materialized (
      select *
      from unnest(
        ${of('object_id')}::bigint[], ${of('parent_id')}::bigint[], ${of('name')}::text[],
        ${of('owner_id')}::bigint[], ${of('mime_type')}::text[], ${of('size_bytes')}::bigint[],
        ${of('checksum_sha256')}::text[], ${files.map(({ crc32 }) => crc32 ?? null)}::bigint[],
        ${of('granted')}::boolean[]
      ) as wanted
        (object_id, parent_id, name, owner_id, mime_type, size_bytes, checksum_sha256, crc32, granted)
    ),
    held as (${holdingPending(tx, tenantId, tx`wanted`)}),
    added as (
      insert into cogs
        (tenant_id, parent_id, name, cog_type, owner_id, object_id, size_bytes, mime_type, version)
      select ${tenantId}, parent_id, name, 'file', owner_id, object_id, size_bytes, mime_type, 1
      from wanted
      join held on held.id = wanted.object_id
      -- One order for all: a concurrent insert of several waits at the first name and cannot
      -- deadlock.
      order by parent_id, name collate "C"
      on conflict (tenant_id, parent_id, name) where deleted_at is null do nothing
      returning id, object_id, created_at, updated_at
    ),
    made as (select * from added join wanted using (object_id)),
    live as (${goingLive(tx, tx`made`)}),
    granted as (${grantingMakers(tx, tenantId, tx`(select id, owner_id from made where granted)`)})
    select
      wanted.object_id, held.id is not null as is_pending,
      added.id, added.created_at, added.updated_at
    from wanted
    left join held on held.id = wanted.object_id
    left join added using (object_id)
  `;
}
