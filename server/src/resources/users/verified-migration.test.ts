/** What migration 0187 knows of the addresses of users who were there before. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseBefore } from '../../../test/database.ts';
import { migrate } from '../../db/migrate.ts';

describe('the migration that notes which addresses are verified', () => {
  it('believes operators and providers, and nobody who only had the link of an invitation', async (t) => {
    const { db, drop } = await databaseBefore('0187');
    t.after(drop);
    await db.transaction(async (tx) => {
      // Without what these rows refer to, which does not matter here.
      await tx`set local session_replication_role = replica`;
      await tx`
        insert into users (id, tenant_id, email, role, issuer, subject) overriding system value
        values
          (1, 1, 'made@x.test', 'admin', 'embedded', '1'),
          (2, 1, 'by-link@x.test', 'member', 'embedded', '2'),
          (3, 1, 'moved-here@x.test', 'member', 'embedded', '3'),
          (4, 1, 'awaited@x.test', 'member', 'https://idp.test', 'awaited:4'),
          (5, 1, 'asked@x.test', 'member', 'https://idp.test', '5'),
          (6, 2, 'came@x.test', 'admin', 'https://idp.test', '6')
      `;
      await tx`
        insert into invitations
          (tenant_id, email, role, invited_by, token_hash, ended_at, outcome, user_id)
        select 1, 'x@x.test', 'member', 1, id::text::bytea, now(), 'accepted', id
        from users
        where id in (2, 5)
      `;
      await tx`
        insert into audit_events (tenant_id, action, target_type, target_id)
        values (1, 'user.issuer_changed', 'user', '3')
      `;
    });

    await migrate(db);

    const users = await db<{ id: number; email_verified?: boolean }[]>`
      select id, email_verified from users order by id
    `;
    assert.deepEqual(
      users.map(({ id, email_verified }) => [id, email_verified]),
      [
        [1, true],
        [2, false],
        [3, false],
        [4, true],
        [5, true],
        [6, undefined],
      ],
    );
  });
});
