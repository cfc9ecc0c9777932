/** What migration 0141 gives to tenants that were there before. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseBefore } from '../../../test/database.ts';
import { migrate } from '../../db/migrate.ts';
import { keepOwnRegistry } from './secrets.ts';

type Row = { tenant_id: number; name: string; server?: string };

describe("the migration that gives every tenant a secret for the installation's registry", () => {
  it('keeps secrets that have its name, and learns the server with the next start', async (t) => {
    const { db, drop } = await databaseBefore('0141');
    t.after(drop);
    await db.transaction(async (tx) => {
      // Without users, who do not matter here.
      await tx`set local session_replication_role = replica`;
      await tx`
        insert into tenants (id, name, sealed_key) overriding system value
        values (1, 'Has none', ''), (2, 'Has the name', '')
      `;
      await tx`
        insert into secrets (tenant_id, name, kind, sealed_value, created_by)
        values (2, 'COGWORKS_REGISTRY', 'generic', 'sealed', 1)
      `;
    });

    await migrate(db);

    const managed = () => db<Row[]>`
      select tenant_id, name, server from secrets where is_managed order by tenant_id
    `;
    const rows = [
      { tenant_id: 1, name: 'COGWORKS_REGISTRY' },
      { tenant_id: 2, name: 'COGWORKS_REGISTRY_2' },
    ];
    assert.deepEqual([...(await managed())], rows);
    const kept = await db`select from secrets where not is_managed and kind = 'generic'`;
    assert.equal(kept.count, 1);

    await keepOwnRegistry(db, 'https://cogworks.example/');
    await db`
      insert into tenants (id, name, sealed_key) overriding system value
      values (3, 'Comes later', '')
    `;
    const servers = (await managed()).map(({ server }) => server);
    assert.deepEqual(servers, Array(3).fill('cogworks.example'));
  });
});
