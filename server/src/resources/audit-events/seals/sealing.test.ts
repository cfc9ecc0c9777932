/** What somebody does to the row that says up to which event all are sealed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { client } from '../../../../test/cast.ts';
import { sealedEvents } from '../../../../test/sealed-events.ts';
import { startServer } from '../../../../test/server.ts';
import { openSealing } from './sealing.ts';

const server = await startServer();
const { db } = server.services;
const { seal, stage, tamper, verify, check } = sealedEvents(server);

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

  it('is not believed by whoever has seen more sealed', async () => {
    const { admin, ids } = await stage(3);
    const sealSome = openSealing(server.services);
    while ((await sealSome(1000)) === 0);
    await replace(ids[0] ?? 0);

    await assert.rejects(sealSome(1000), /somebody may have changed them/);

    const found = (await admin.get('/audit-events/verify')).body;
    assert.deepEqual([found.blocks, found.unsealed_events >= 3], [0, true]);
  });

  it('is not believed if another tenant has later blocks', async () => {
    const { tenant_id } = await stage(1);
    await seal();
    await stage(1);
    await seal();
    await tamper(async (tx) => {
      await tx`delete from audit_blocks where tenant_id = ${tenant_id}`;
      await tx`update audit_sealing set sealed_to = 0`;
    });

    await assert.rejects(openSealing(server.services)(1000), /somebody may have changed them/);
    await tamper((tx) => tx`delete from audit_blocks`);
    await seal();
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
    await db`insert into audit_sealing (sealed_to) select max(last_id) from audit_blocks`;
  });
});

describe('events that are sealed long after they happened', () => {
  it('are told of, since somebody may have had changed ones sealed again', async () => {
    const hours = (count: number) => new Date(Date.now() - count * 3_600_000);
    await seal();
    const people = await stage(4);
    const { tenant_id, ids } = people;
    const [first = 0] = ids;
    await tamper(
      (tx) => tx`update audit_events set created_at = ${hours(3)} where tenant_id = ${tenant_id}`,
    );
    await seal(1000, () => hours(3));
    const before = await verify(people);
    assert.deepEqual([before.late_events, before.late_blocks], [0, []]);

    await replace(first);
    await seal();

    const found = await verify(people);
    const [{ block, events, sealed_at }] = found.late_blocks;
    assert.deepEqual([found.is_intact, found.late_events, block], [true, events, 1]);
    assert.ok(events >= 4 && sealed_at > hours(1).toISOString());
    const told = JSON.parse((await check()) ?? '');
    assert.deepEqual([told.late_events, told.late_blocks[0].tenant_id], [events, tenant_id]);
    await tamper(
      (tx) => tx`update audit_blocks set sealed_at = ${hours(3)} where tenant_id = ${tenant_id}`,
    );
    assert.deepEqual((await verify(people)).faults[0], { fault: 'block_changed', block: 1 });
  });
});

/** Has an event changed, and all events sealed again. */
const replace = (id: number) =>
  tamper(async (tx) => {
    await tx`update audit_events set action = 'forged' where id = ${id}`;
    await tx`delete from audit_blocks`;
    await tx`update audit_sealing set sealed_to = 0`;
  });
