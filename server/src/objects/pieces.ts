/** SQL fragments for statements that create something for stored bytes, and update the objects. */
import type { Db } from '../db/connection.ts';
import type { Tag } from '../db/statement.ts';

type Piece = ReturnType<Db>;

/** For each of the sizes, in order, whether the tenant has room for it; see `addingObjects`. */
export const fitting = (db: Db, tenantId: number, sizes: readonly number[]) => db`
  fits_in_storage(${tenantId}, ${sizes as number[]}::bigint[])
`;

/**
 * Adds a pending object for each key in `wanted (key, reserved_bytes, fits)` that fits, for
 * `seconds`. Nobody else may store bytes of a tenant with a limit until the transaction ends, so
 * this is its last statement.
 */
export const addingObjects = (db: Db, tenantId: number, wanted: Piece, seconds: number) => db`
  insert into objects (tenant_id, key, reserved_bytes, expires_at)
  select ${tenantId}, key, reserved_bytes, now() + ${seconds} * interval '1 second'
  from ${wanted} as wanted
  where fits
  returning id, key, expires_at
`;

/** The pending objects among `wanted (object_id)`, locked. */
export const holdingPending = (db: Db, tenantId: number, wanted: Piece) => db`
  select object.id
  from (select object_id from ${wanted} as given order by object_id) as wanted
  -- By key ("offset 0"), whatever the size of the table when the plan is made.
  cross join lateral (
    select objects.id
    from objects
    where objects.tenant_id = ${tenantId} and objects.id = wanted.object_id
      and objects.state = 'pending'
    offset 0
    for update
  ) as object
`;

/**
 * The locked objects in `made (object_id, size_bytes, checksum_sha256, crc32)` go live with these
 * values.
 */
export const goingLive = (db: Db, made: Piece) => db`
  update objects
  set state = 'live', expires_at = null,
      size_bytes = made.size_bytes, checksum_sha256 = made.checksum_sha256,
      -- It may be recorded already, of bytes that were written directly.
      crc32 = coalesce(made.crc32, objects.crc32)
  from ${made} as made
  where objects.id = made.object_id
`;

/**
 * The live objects among `wanted (tenant_id, object_id)`, locked: as long as the transaction runs,
 * none of them is judged to be unused, so a reference to it may be added.
 */
export const holdingLive = (db: Tag, wanted: Piece) => db`
  select object.id
  from (
    select distinct tenant_id, object_id from ${wanted} as given order by tenant_id, object_id
  ) as wanted
  cross join lateral (
    select objects.id
    from objects
    where objects.tenant_id = wanted.tenant_id and objects.id = wanted.object_id
      and objects.state = 'live'
    offset 0
    for key share
  ) as object
`;
