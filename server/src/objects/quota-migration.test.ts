/** What migrations 0092 and 0093 make of objects that were stored before anybody counted them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseBefore } from '../../test/database.ts';
import type { Db } from '../db/connection.ts';
import { migrate } from '../db/migrate.ts';
import { findMiscounted, readUsage } from './quota.ts';

const sha = 'a'.repeat(64);

/** Objects in every state, of three tenants, one of which has none. */
async function addStored(db: Db) {
  await db`
    insert into tenants (id, name, sealed_key) overriding system value
    values (1, 'Stores', ''), (2, 'Stores nothing', ''), (3, 'Stores too', '')
  `;
  await db`
    insert into objects
      (id, tenant_id, key, state, size_bytes, checksum_sha256, expires_at)
    overriding system value
    select
      given.id, tenant_id, tenant_id || '/' || gen_random_uuid(), state, size_bytes,
      case when size_bytes is not null then ${sha} end,
      case when state = 'pending' then now() + interval '1 hour' end
    from (values
      (1, 1, 'live', 100), (2, 1, 'live', 0), (3, 1, 'pending', null), (4, 1, 'pending', 5),
      (5, 1, 'dead', 900), (6, 1, 'dead', null), (7, 1, 'live', 30), (8, 1, 'pending', 40),
      (9, 3, 'live', 7)
    ) as given (id, tenant_id, state, size_bytes)
  `;
  await db`
    insert into previews (tenant_id, object_id, size, preview_object_id) values (1, 1, 256, 7)
  `;
  await db`
    insert into uploads
      (tenant_id, user_id, parent_id, name, mime_type, file_size, chunk_size, object_id, expires_at)
    select 1, 1, 1, 'upload', 'text/plain', file_size, file_size, object_id, now()
    from (values (70, 3), (40, 8)) as given (file_size, object_id)
  `;
}

/** Without users and folders, which do not matter here. */
const withoutReferences = (db: Db, work: (tx: Db) => Promise<void>) =>
  db.transaction(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await work(tx);
  });

const usagesOf = async (db: Db) =>
  Promise.all(
    [1, 2, 3].map(async (tenant) => {
      const { used_bytes, reserved_bytes } = await readUsage(db, tenant);
      return [used_bytes, reserved_bytes];
    }),
  );

describe('the migrations that begin to count what tenants store', () => {
  it('count what is there, without previews', async (t) => {
    const { db, drop } = await databaseBefore('0092');
    t.after(drop);
    await withoutReferences(db, addStored);

    await migrate(db);

    assert.deepEqual(await usagesOf(db), [
      [100, 70 + 5 + 40],
      [0, 0],
      [7, 0],
    ]);
    assert.equal((await findMiscounted(db)).length, 0);
    // From then on every change is noted.
    await db`update objects set state = 'live', expires_at = null where id = 8`;
    await db`update objects set state = 'dead' where id in (1, 7)`;
    assert.deepEqual((await usagesOf(db))[0], [40, 70 + 5]);
  });

  it('take previews out of a count that had them', async (t) => {
    const { db, drop } = await databaseBefore('0093');
    t.after(drop);
    await withoutReferences(db, addStored);
    // Triggers do not fire for such rows: the sums are as they would have made them.
    await db`insert into storage_usage values (1, 120, 45)`;
    await db`insert into storage_changes values (1, 10, 0), (3, 7, 0)`;

    await migrate(db);

    assert.deepEqual((await usagesOf(db)).flat(), [100, 45, 0, 0, 7, 0]);
    assert.equal((await findMiscounted(db)).length, 0);
  });
});
