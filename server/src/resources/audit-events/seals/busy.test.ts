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
const { db, keys } = server.services;
const { seal, stage, tamper, verify } = sealedEvents(server);

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
    const people = await stage(2);
    const { tenant_id, admin } = people;
    await seal();
    await db`
      update audit_blocks set sealed_at = sealed_at - interval '366 days'
      where tenant_id = ${tenant_id}
    `;
    await admin.get('/audit-events/');
    await seal();

    const found = await verifiedWhile(people, 'audit_events', async (tx) => {
      assert.ok((await cutOldEvents({ db: tx, keys }, 365)) >= 2);
    });

    assert.deepEqual([found.is_intact, found.faults, found.blocks], [true, [], 2]);
  });

  it('finds what somebody changed, although events are removed meanwhile', async () => {
    const people = await stage(2);
    const { tenant_id, admin } = people;
    await seal();
    await db`
      update audit_blocks set sealed_at = sealed_at - interval '366 days'
      where tenant_id = ${tenant_id}
    `;
    await admin.get('/audit-events/');
    await seal();
    await tamper(
      (tx) => tx`
        update audit_events set target_type = 'y'
        where tenant_id = ${tenant_id} and action = 'audit_events.read'
      `,
    );

    const found = await verifiedWhile(people, 'audit_events', async (tx) => {
      assert.ok((await cutOldEvents({ db: tx, keys }, 365)) >= 2);
    });

    const told = found.faults.map(({ fault }: { fault: string }) => fault);
    assert.deepEqual([found.is_intact, told], [false, ['event_changed']]);
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
