import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cast } from '../../test/cast.ts';
import { cloneDatabase } from '../../test/database.ts';
import { collectAll } from '../../test/duties.ts';
import { limitedPeople } from '../../test/quota.ts';
import { until } from '../../test/until.ts';
import { confirm, sent } from '../../test/uploads.ts';
import { recordObjects } from './objects.ts';
import { findMiscounted, foldStorageChanges } from './quota.ts';

const { server } = await cast();
const { db } = server.services;

const people = (limit: number | null) => limitedPeople(server, limit);
const collect = (days?: number) => collectAll(server.services, days);

describe('what tenants store', () => {
  it('is what their files hold, after any sequence of changes', async () => {
    const size = fc.integer({ min: 0, max: 300 });
    const step = fc.oneof(
      fc.record({ kind: fc.constant('upload' as const), size }),
      fc.record({ kind: fc.constant('announce' as const), size }),
      fc.record({ kind: fc.constant('confirm' as const), size }),
      fc.record({ kind: fc.constant('abort' as const), size }),
      fc.record({ kind: fc.constant('purge' as const), size }),
      fc.record({ kind: fc.constant('fold' as const), size }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const limit = 1000;
        const { owner, admin, held } = await people(limit);
        const files: { id: number; size: number }[] = [];
        // biome-ignore lint/suspicious/noExplicitAny: what the server really sent
        const open: { upload: any; size: number }[] = [];
        const sum = (all: { size: number }[]) => all.reduce((total, one) => total + one.size, 0);
        for (const [at, { kind, size: bytes }] of steps.entries()) {
          const fits = sum(files) + sum(open) + bytes <= limit;
          if (kind === 'upload') {
            const { status, body } = await owner.upload(`${at}`, 'x'.repeat(bytes));
            assert.equal(status, fits ? 201 : 403);
            if (fits) files.push({ id: body.id, size: bytes });
          } else if (kind === 'announce') {
            const wanted = { name: `${at}`, file_size: bytes };
            const { status, body } = await owner.post('/cogs/uploads/initiate', wanted);
            assert.equal(status, fits ? 201 : 403);
            if (fits) open.push({ upload: body, size: bytes });
          } else if (kind === 'confirm') {
            const one = open.shift();
            if (!one) continue;
            const parts = await sent(one.upload, new Uint8Array(one.size));
            const { status, body } = await confirm(owner, one.upload, one.size, parts);
            assert.equal(status, 201);
            files.push({ id: body.id, size: one.size });
          } else if (kind === 'abort') {
            const one = open.shift();
            if (one) await owner.delete(`/cogs/uploads/${one.upload.upload_id}`);
          } else if (kind === 'purge') {
            const one = files.shift();
            if (!one) continue;
            await owner.delete(`/cogs/${one.id}`);
            await admin.delete(`/cogs/${one.id}?permanent=true`);
            await collect();
          } else {
            await Promise.all([1, 2].map(() => foldStorageChanges(db, 5)));
          }
          assert.deepEqual(await held(), {
            used_bytes: sum(files),
            reserved_bytes: sum(open),
          });
        }
      }),
      { numRuns: 15 },
    );
  });

  it('may be announced beyond what a number holds, without harm to anybody', async () => {
    const { owner, setLimit } = await people(null);
    const other = await people(null);
    const { tenant_id } = owner.user;
    const sizes = Array.from({ length: 1000 }, () => Number.MAX_SAFE_INTEGER);
    for (const _ of [1, 2]) await recordObjects(db, tenant_id, sizes, 3600);
    await other.owner.upload('file', 'x');

    while ((await foldStorageChanges(db, 100)) > 0);

    assert.equal((await owner.get('/subscriptions')).body.storage_used_bytes, 0);
    const upload = await owner.post('/cogs/uploads/initiate', { name: 'one more', file_size: 1 });
    assert.equal(upload.status, 201);
    assert.equal((await findMiscounted(db)).length, 0);
    assert.deepEqual(await other.held(), { used_bytes: 1, reserved_bytes: 0 });
    await setLimit(1000);
    assert.equal((await owner.upload('refused', 'x')).status, 403);
  });

  it('can be checked, however long that takes', async (t) => {
    const patience = { statement_ms: 200, lock_ms: 10_000, idle_in_transaction_ms: 10_000 };
    const database = await cloneDatabase({ db: patience });
    t.after(database.drop);
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = database.engineDb.transaction(async (tx) => {
      await tx.script('lock table objects in access exclusive mode');
      held.resolve();
      await release.promise;
    });
    await held.promise;

    const checked = findMiscounted(database.db).catch((error: Error) => error);
    const hasTakenLong = async () => {
      const [row] = await database.quickDb`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
          and query_start < now() - interval '400 milliseconds'
      `;
      return row !== undefined;
    };
    await Promise.race([until('it has taken long', hasTakenLong), checked]);
    release.resolve();

    await holding;
    assert.deepEqual([...((await checked) as [])], []);
  });
});
