/** How migrations prepare provenance in a large installation. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { databaseBefore } from '../../../../test/database.ts';
import { until } from '../../../../test/until.ts';
import { migrate } from '../../../db/migrate.ts';

it('files are not locked while indexes of the files of runs are built', async () => {
  const { db, drop } = await databaseBefore('0200');
  const { applied, migrated } = await db.transaction(async (tx) => {
    await tx`select from cogs`;
    const migrated = migrate(db);
    await until('it waits for the files', async () => {
      const [waiting] = await tx`
        select from pg_locks where relation = 'cogs'::regclass and not granted
      `;
      return waiting;
    });
    const applied = await tx<{ name: string }[]>`
      select name from schema_migrations where name >= '0200'
    `;
    // Not awaited here: it waits for this transaction.
    return { applied, migrated: { ended: migrated } };
  });
  await migrated.ended;
  await drop();

  assert.deepEqual(
    applied.map(({ name }) => name),
    ['0200_provenance.sql'],
  );
});
