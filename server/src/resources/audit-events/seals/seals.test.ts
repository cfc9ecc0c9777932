import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Cast, cast, client } from '../../../../test/cast.ts';
import { sealedEvents } from '../../../../test/sealed-events.ts';
import { startServer } from '../../../../test/server.ts';
import type { Db } from '../../../db/connection.ts';
import { recordEvent } from '../audit-events.ts';
import { cutOldEvents } from './cutting.ts';
import { openSealing } from './sealing.ts';

const server = await startServer();
const { services } = server;
const { db } = services;
const { seal, stage, stageOld, tamper, verify, check, headOf } = sealedEvents(server);

describe('the events of a tenant', () => {
  it('are sealed some time after they were written, and verify', async () => {
    const people = await stage();
    const before = await verify(people);
    assert.deepEqual([before.is_intact, before.blocks, before.events], [true, 0, 0]);
    assert.equal(await headOf(people), `0:${'0'.repeat(64)}`);

    await seal(4);

    const after = await verify(people);
    assert.ok(after.blocks >= 2, 'in portions');
    assert.ok(after.events >= 7, 'with that of the reading before');
    assert.deepEqual([after.is_intact, after.unsealed_events, after.faults], [true, 0, []]);
    assert.match(await headOf(people), /^[1-9]\d*:[0-9a-f]{64}$/);
  });

  it('are each sealed once, however many seal at the same time', async () => {
    const people = await stage();
    await Promise.all([seal(2), seal(3), seal(2)]);
    await seal();
    const { is_intact, events } = await verify(people);
    const [row] = await db<{ count: number }[]>`
      select count(*) from audit_events where tenant_id = ${people.tenant_id}
    `;
    assert.deepEqual([is_intact, events], [true, (row?.count ?? 0) - 1]);
  });

  it('wait for the transactions that write some at that time', async () => {
    const people = await stage(1);
    const { tenant_id } = people;
    const sealSome = openSealing(services);
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const early = db.transaction(async (tx) => {
      await recordEvent(tx, { tenant_id }, { action: 'early', target_type: 'x' });
      begun.resolve();
      await ended.promise;
    });
    await begun.promise;
    await recordEvent(db, { tenant_id }, { action: 'late', target_type: 'x' });

    const sealedMeanwhile = [await sealSome(1000), await sealSome(1000)];
    ended.resolve();
    await early;
    const sealedThen = await sealSome(1000);

    assert.deepEqual(sealedMeanwhile, [0, 0]);
    assert.ok(sealedThen >= 3);
    assert.equal((await verify(people)).is_intact, true);
  });

  it('are verified and sealed for admins, which is an event, and for no other tenant', async () => {
    const people = await stage(1);
    const { owner, admin, stranger, ids } = people;
    await seal();
    for (const path of ['/audit-events/verify', '/audit-events/head'])
      assert.equal((await owner.get(path)).status, 403);
    await tamper((tx) => tx`update audit_events set action = 'y' where id = ${ids[0] ?? 0}`);
    assert.equal((await verify(people)).is_intact, false);
    assert.equal((await verify({ admin: await adminOf(stranger) })).is_intact, true);
    const { body } = await admin.get('/audit-events/?action=audit_events.verified');
    assert.equal(body[0].details.is_intact, false);
    assert.equal((await admin.get('/audit-events/verify?head=1')).status, 422);
  });
});

describe('whoever changes events in SQL', () => {
  it('is found out, with the block and the event', async () => {
    const people = await stage();
    const [changed = 0, removed = 0] = people.ids;
    await seal();
    const number = Number.parseInt(await headOf(people), 10);
    await tamper(
      (tx) => tx`update audit_events set details = '{"number": 7}' where id = ${changed}`,
    );
    await tamper((tx) => tx`delete from audit_events where id = ${removed}`);

    const { is_intact, faults } = await verify(people);

    assert.equal(is_intact, false);
    assert.deepEqual(faults, [
      { fault: 'event_changed', block: number, event_id: changed },
      { fault: 'event_missing', block: number, event_id: removed },
    ]);
    await assert.rejects(check(), (error: Error) => {
      const told = JSON.parse(error.message).faults;
      return told.some((one: { event_id: number }) => one.event_id === changed);
    });
  });

  it('is found out in each thing that an event says', async () => {
    const changes = [
      (tx: Db, id: number) => tx`update audit_events set actor_id = null where id = ${id}`,
      (tx: Db, id: number) => tx`update audit_events set key_id = 7 where id = ${id}`,
      (tx: Db, id: number) =>
        tx`update audit_events set request_id = gen_random_uuid() where id = ${id}`,
      (tx: Db, id: number) => tx`update audit_events set target_type = 'y' where id = ${id}`,
      (tx: Db, id: number) => tx`update audit_events set target_id = '' where id = ${id}`,
      (tx: Db, id: number) =>
        tx`update audit_events set created_at = created_at - interval '1 ms' where id = ${id}`,
    ];
    const people = await stage(changes.length);
    await seal();
    for (const [place, change] of changes.entries())
      await tamper((tx) => change(tx, people.ids[place] ?? 0));
    const { faults } = await verify(people);
    assert.deepEqual(
      faults.map((one: { event_id: number }) => one.event_id),
      people.ids,
    );
  });

  it('is found out when they add an event, or give a block other events', async () => {
    const people = await stage(2);
    const { tenant_id, ids } = people;
    await seal();
    const [first] = await db<{ number: number }[]>`
      select max(number) as number from audit_blocks where tenant_id = ${tenant_id}
    `;
    await tamper(async (tx) => {
      await tx`delete from audit_events where id = ${ids[0] ?? 0}`;
      await tx`
        update audit_blocks
        set event_ids = event_ids[2:], event_hashes = substring(event_hashes from 33)
        where tenant_id = ${tenant_id} and number = ${first?.number ?? 0}
      `;
      await tx`
        insert into audit_events (id, tenant_id, action, target_type)
        overriding system value values (${ids[0] ?? 0}, ${tenant_id}, 'x', 'x')
      `;
    });
    const { faults } = await verify(people);
    const told = faults.map(({ fault }: { fault: string }) => fault);
    assert.ok(told.includes('block_changed') && told.includes('event_added'), told.join());
  });

  it('is found out when they remove a block, or the last ones by a head that was kept', async () => {
    const people = await stage(2);
    const { tenant_id } = people;
    const event = { action: 'x', target_type: 'x' };
    for (let times = 0; times < 3; times += 1) {
      await recordEvent(db, { tenant_id }, event);
      await seal();
    }
    const kept = await headOf(people);
    const number = Number.parseInt(kept, 10);
    const remove = (block: number) =>
      tamper(async (tx) => {
        await tx`
          delete from audit_events using audit_blocks as block
          where block.tenant_id = ${tenant_id} and block.number = ${block}
            and audit_events.id = any(block.event_ids)
        `;
        await tx`delete from audit_blocks where tenant_id = ${tenant_id} and number = ${block}`;
      });

    assert.equal((await verify(people, kept)).kept_head, 'fits');
    await remove(number);
    const cutOff = await verify(people, kept);
    assert.deepEqual([cutOff.is_intact, cutOff.kept_head, cutOff.faults], [false, 'differs', []]);
    await remove(number - 2);
    const { faults } = await verify(people);
    assert.deepEqual(faults, [{ fault: 'block_missing', block: number - 2 }]);
  });

  it('cannot empty the table, nor delete by mistake', async () => {
    const { tenant_id } = await stage(1);
    await assert.rejects(db`truncate audit_events`, /append-only/);
    await assert.rejects(
      db`delete from audit_events where tenant_id = ${tenant_id}`,
      /append-only/,
    );
  });
});

describe('events that are older than they are to be kept', () => {
  it('are removed with their blocks, and the rest verifies', async () => {
    const people = await stageOld(3, 365.5);
    const { admin, tenant_id, ids } = people;
    const old = await headOf(people);
    const number = Number.parseInt(old, 10);
    assert.equal(await cutOldEvents(services, { days: 365 }), 0, 'a day together');
    await recordEvent(db, { tenant_id }, { action: 'new', target_type: 'x' });
    await seal();

    const tomorrow = { days: 365, now: new Date(Date.now() + 86_400_000) };
    while ((await cutOldEvents(services, tomorrow)) > 0);

    const { body } = await admin.get('/audit-events/?target_type=x');
    assert.deepEqual(
      body.map(({ action }: { action: string }) => action),
      ['new'],
    );
    const [event] = (await admin.get('/audit-events/?action=audit_events.removed')).body;
    assert.deepEqual([event.actor_id, event.details.days], [undefined, 365]);
    assert.ok(event.details.events >= 3);
    await seal();
    const found = await verify(people, old);
    assert.deepEqual([found.is_intact, found.kept_head, found.faults], [true, 'fits', []]);
    assert.equal(await cutOldEvents(services, tomorrow), 0);

    await tamper(
      (tx) => tx`
        insert into audit_events (id, tenant_id, action, target_type)
        overriding system value values (${ids[0] ?? 0}, ${tenant_id}, 'x', 'x')
      `,
    );
    const { faults } = await verify(people);
    assert.deepEqual(faults, [{ fault: 'event_added', block: number, event_id: ids[0] }]);
  });

  it('are not removed by anybody else without a trace', async () => {
    const people = await stage(3);
    const { tenant_id } = people;
    await seal();
    await recordEvent(db, { tenant_id }, { action: 'new', target_type: 'x' });
    await seal();
    const number = Number.parseInt(await headOf(people), 10) - 1;
    await tamper(async (tx) => {
      await tx`
        delete from audit_events using audit_blocks as block
        where block.tenant_id = ${tenant_id} and block.number = ${number}
          and audit_events.tenant_id = ${tenant_id} and audit_events.id <= block.last_id
      `;
      await tx`delete from audit_blocks where tenant_id = ${tenant_id} and number < ${number}`;
      await tx`
        update audit_blocks set event_ids = null, event_hashes = null, cut_seal = seal
        where tenant_id = ${tenant_id} and number = ${number}
      `;
    });
    const { faults } = await verify(people);
    assert.deepEqual(faults, [{ fault: 'block_changed', block: number }]);
  });
});

describe('an event', () => {
  it('has the API key and the request that it came by', async () => {
    const { owner, admin } = await cast(server);
    const { body: key } = await owner.post('/api-keys/', { description: 'mine' });
    const headers = { 'x-api-key': key.access_key };
    const folder = { name: 'Docs', cog_type: 'asset_folder' };
    const byKey = client(server.url);
    const { body: made } = await byKey.post('/cogs/', folder, { headers });
    const answer = await byKey.delete(`/cogs/${made.id}`, { headers });

    const [event] = (await admin.get('/audit-events/?action=cog.deleted')).body;

    assert.equal(event.key_id, key.id);
    assert.equal(event.request_id, answer.headers.get('x-request-id'));
  });
});

async function adminOf(user: Cast['stranger']) {
  await db`update users set role = 'admin' where id = ${user.user.id}`;
  return user;
}
