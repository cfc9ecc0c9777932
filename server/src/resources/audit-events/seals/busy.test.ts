/** Verification while events are sealed and removed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heldUp } from '../../../../test/races.ts';
import { sealedEvents } from '../../../../test/sealed-events.ts';
import { startServer } from '../../../../test/server.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { openSealing } from './sealing.ts';

const server = await startServer();
const { db, keys } = server.services;
const { seal, stage, verify } = sealedEvents(server);

describe('a verification', () => {
  it('finds nothing wrong with events that are sealed meanwhile', async () => {
    const people = await stage(2);
    await seal();
    await people.admin.get('/audit-events/');
    let sealing: Transaction | undefined;
    const found = await heldUp(
      db,
      async (tx) => {
        await tx`lock table audit_sealing in access exclusive mode`;
        sealing = tx;
      },
      () => verify(people),
      async () => {
        assert.ok(sealing);
        assert.ok((await openSealing({ db: sealing, keys })(1000)) > 0);
      },
      { keeps: true },
    );
    assert.deepEqual([found.is_intact, found.faults], [true, []]);
  });
});
