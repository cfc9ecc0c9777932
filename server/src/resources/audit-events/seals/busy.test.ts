/** Verification while events are sealed and removed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heldUp } from '../../../../test/races.ts';
import { sealedEvents } from '../../../../test/sealed-events.ts';
import { startServer } from '../../../../test/server.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { cutOldEvents } from './cutting.ts';
import { openSealing } from './sealing.ts';

const server = await startServer();
const { db, keys, log } = server.services;
const { seal, stage, stageOld, tamper, verify } = sealedEvents(server);

/** Whoever holds this lock makes others wait who look for old blocks, after they have begun to. */
const looking = 61;
await db.script(`
  create function cardinality(bigint[]) returns int language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(${looking});
    return pg_catalog.cardinality($1);
  end $$
`);

describe('a verification', () => {
  it('finds nothing wrong with events that are sealed meanwhile', async () => {
    const people = await stage(2);
    await seal();
    await people.admin.get('/audit-events/');

    const found = await verifiedWhile(people, 'audit_sealing', async (tx) => {
      assert.ok((await openSealing({ db: tx, keys })(1000)) > 0);
    });

    assert.deepEqual([found.is_intact, found.faults], [true, []]);
  });

  it('finds nothing wrong with events that are removed meanwhile because of their age', async () => {
    const people = await stageOld(2, 367);
    const { admin } = people;
    await admin.get('/audit-events/');
    await seal();

    const found = await verifiedWhile(people, 'audit_events', async (tx) => {
      assert.ok((await cutOldEvents({ db: tx, keys, log }, { days: 365 })) >= 2);
    });

    assert.deepEqual([found.is_intact, found.faults, found.blocks], [true, [], 2]);
  });

  it('finds what somebody changed, although events are removed meanwhile', async () => {
    const people = await stageOld(2, 367);
    const { tenant_id, admin } = people;
    await admin.get('/audit-events/');
    await seal();
    await tamper(
      (tx) => tx`
        update audit_events set target_type = 'y'
        where tenant_id = ${tenant_id} and action = 'audit_events.read'
      `,
    );

    const found = await verifiedWhile(people, 'audit_events', async (tx) => {
      assert.ok((await cutOldEvents({ db: tx, keys, log }, { days: 365 })) >= 2);
    });

    const told = found.faults.map(({ fault }: { fault: string }) => fault);
    assert.deepEqual([found.is_intact, told], [false, ['event_changed']]);
  });
});

describe('a removal of old events', () => {
  it('is one event, though two engines remove them at the same time', async () => {
    const people = await stageOld(2, 367);
    const { admin } = people;

    const removedLater = await heldUp(
      db,
      async (tx) => {
        await tx`select pg_advisory_xact_lock(${looking})`;
        assert.ok((await cutOldEvents({ db: tx, keys, log }, { days: 365 })) >= 2);
      },
      () => cutOldEvents({ db, keys, log }, { days: 365 }),
      undefined,
      { keeps: true },
    );

    const { body } = await admin.get('/audit-events/?action=audit_events.removed');
    assert.deepEqual([removedLater, body.length], [0, 1]);
  });
});

/** Does the work after the verification has begun, and before it can read from the table. */
function verifiedWhile(
  people: Awaited<ReturnType<typeof stage>>,
  table: 'audit_events' | 'audit_sealing',
  work: (tx: Transaction) => Promise<unknown>,
) {
  let holding: Transaction | undefined;
  return heldUp(
    db,
    async (tx) => {
      await tx.script(`lock table ${table} in access exclusive mode`);
      holding = tx;
    },
    () => verify(people),
    async () => holding && (await work(holding)),
    { keeps: true },
  );
}
