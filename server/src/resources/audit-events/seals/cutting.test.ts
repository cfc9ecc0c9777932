/** Retention, where somebody has changed what it goes by. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { sealedEvents } from '../../../../test/sealed-events.ts';
import { startServer } from '../../../../test/server.ts';
import { cutOldEvents } from './cutting.ts';

const lines: string[] = [];
const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
const server = await startServer({}, log);
const { db } = server.services;
const { seal, stage, stageOld, tamper, verify } = sealedEvents(server);

/** As the duty does. */
const cut = async () => {
  const how = { days: 365, refused: new Set<number>() };
  while ((await cutOldEvents(server.services, how)) > 0);
};
const countOf = async (ids: number[]) =>
  (await db`select from audit_events where id = any(${ids})`).length;
const refusalsOf = (tenantId: number) =>
  lines
    .map((line) => JSON.parse(line))
    .filter(({ tenant_id }) => tenant_id === tenantId)
    .map(({ fault }) => fault);

describe('old events', () => {
  it('are not removed because somebody says in SQL that they are old', async () => {
    const old = await stageOld(3, 367);
    const people = await stage(3);
    await seal();
    await tamper(
      (tx) => tx`
        update audit_blocks set sealed_at = now() - interval '400 days'
        where tenant_id = ${people.tenant_id}
      `,
    );

    await cut();

    assert.deepEqual([await countOf(people.ids), await countOf(old.ids)], [3, 0]);
    assert.deepEqual(refusalsOf(people.tenant_id), ['block_changed']);
    assert.equal((await verify(people)).faults[0].fault, 'block_changed');
    assert.equal((await verify(old)).is_intact, true);
  });

  it('are not removed while one of them is not what it was', async () => {
    const people = await stageOld(3, 367);
    const [changed = 0] = people.ids;
    await tamper((tx) => tx`update audit_events set action = 'y' where id = ${changed}`);

    await cut();

    assert.equal(await countOf(people.ids), 3);
    assert.deepEqual(refusalsOf(people.tenant_id), ['event_changed']);
    const { faults } = await verify(people);
    assert.deepEqual(
      faults.map(({ event_id }: { event_id: number }) => event_id),
      [changed],
    );
  });

  it('are not removed while they say that they are new', async () => {
    const people = await stage(3);
    await seal(1000, () => new Date(Date.now() - 367 * 86_400_000));

    await cut();

    assert.equal(await countOf(people.ids), 3);
    assert.deepEqual(refusalsOf(people.tenant_id), ['block_too_new']);
  });
});
