/** Pieces of statements that make something of stored bytes, and what they do to the objects. */
import type { Db } from '../db/connection.ts';

type Piece = ReturnType<Db>;

/** The pending objects among `wanted (object_id)`, held. */
export const holdingPending = (db: Db, tenantId: number, wanted: Piece) => db`
  select object.id
  from (select object_id from ${wanted} as given order by object_id) as wanted
  -- By the key ("offset 0"), whatever the table looks like when this is planned.
  cross join lateral (
    select objects.id
    from objects
    where objects.tenant_id = ${tenantId} and objects.id = wanted.object_id
      and objects.state = 'pending'
    offset 0
    for update
  ) as object
`;

/** Those in `made (object_id, size_bytes, checksum_sha256)`, which are held, go live as that. */
export const goingLive = (db: Db, made: Piece) => db`
  update objects
  set state = 'live', expires_at = null,
      size_bytes = made.size_bytes, checksum_sha256 = made.checksum_sha256
  from ${made} as made
  where objects.id = made.object_id
`;
