/** What somebody does to the row that says up to which event all are sealed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { client } from '../../../../test/cast.ts';
import { sealedEvents } from '../../../../test/sealed-events.ts';
import { startServer } from '../../../../test/server.ts';
import { openSealing } from './sealing.ts';

const server = await startServer();
const { db } = server.services;
const { seal, stage, tamper } = sealedEvents(server);

describe('the row that says what is sealed', () => {
  it('is not removed by mistake, and no block is', async () => {
    await stage(1);
    await seal();
    await assert.rejects(db`delete from audit_sealing`, /must keep its row/);
    await assert.rejects(db`truncate audit_sealing`, /must keep its row/);
    await assert.rejects(db`delete from audit_blocks`, /append-only/);
    await assert.rejects(db`update audit_blocks set sealed_at = now()`, /append-only/);
    await assert.rejects(db`truncate audit_blocks`, /append-only/);
  });

  it('is missed at once if somebody removes it', async () => {
    const { admin } = await stage(3);
    await seal();
    await tamper((tx) => tx`delete from audit_sealing`);

    await assert.rejects(openSealing(server.services)(1000), /removed the row/);
    assert.equal((await admin.get('/audit-events/verify')).status, 500);
    const { body } = await client(server.url).get('/metrics');
    const [, unsealed] = /^cogworks_audit_unsealed_events (\d+)$/m.exec(body) ?? [];
    const [row] = await db<{ count: number }[]>`select count(*) from audit_events`;
    assert.equal(Number(unsealed), row?.count);
  });
});
