import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Stage, stage } from '../../../../test/runs.ts';
import {
  away,
  firings,
  hourlyTrigger,
  type Scheduled,
  shown,
  states,
} from '../../../../test/schedules.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';
import { openGraphThreads } from '../../workflows/graph-bodies.ts';
import { fireDueTriggers } from './firing.ts';

const threads = openGraphThreads();
after(() => threads.close());

const duty = ({ services }: TestServer, limit?: number) =>
  fireDueTriggers({ ...services, threads }, limit);

/** As if so much time had passed. */
async function later({ server }: Stage, triggers: readonly Scheduled[], minutes: number) {
  const ids = triggers.map(({ id }) => id);
  await server.services.db.transaction(async (tx) => {
    // By way of a time where no other is: the row next to it may not have moved yet.
    for (const [back, on] of [
      [20 * 365 * 24 * 60, 0],
      [0, 20 * 365 * 24 * 60 - minutes],
    ] as const)
      await tx`
        update firings set tick_at = tick_at + ${on - back} * interval '1 minute'
        where trigger_id = any(${ids})
      `;
    await tx`
      update triggers
      set last_tick_at = last_tick_at - ${minutes} * interval '1 minute', retry_at = null,
          next_fire_at = next_fire_at - ${minutes} * interval '1 minute'
      where id = any(${ids})
    `;
  });
}

/** A quarter of the decisions about ticks end before their transaction has been committed. */
const killNowAndThen = (people: Stage) =>
  people.server.services.db.script(`
    create function end_now_and_then() returns trigger language plpgsql as
      $$ begin if random() < 0.25 then raise exception 'killed'; end if; return new; end $$;
    create trigger end_now_and_then before insert on firings
      for each row execute function end_now_and_then();
  `);

describe('several engines with many triggers', () => {
  it('lose no tick and fire none twice, also when they are killed at it', async () => {
    const people = await stage();
    const { owner, server } = people;
    const engines = [
      server,
      await startServer({}, undefined, { beside: server }),
      await startServer({}, undefined, { beside: server }),
    ];
    const everyMinute = { cron: '* * * * *', catch_up: 'all', overlap: 'allow' };
    const first = await hourlyTrigger(people, everyMinute);
    const { workflow_version_id } = await shown(owner, first);
    const more = await Promise.all(
      Array.from({ length: 19 }, async (): Promise<Scheduled> => {
        const given = { name: 'More', type: 'schedule', ...everyMinute, workflow_version_id };
        const { body } = await owner.post('/workflows/triggers', {
          ...{ ...given, cog_ids: [first.file] },
        });
        return { id: body.id, file: first.file };
      }),
    );
    const triggers = [first, ...more];
    await killNowAndThen(people);
    for (let minute = 0; minute < 5; minute += 1) {
      await later(people, triggers, 1);
      await Promise.all(engines.map((engine) => duty(engine)));
    }
    await server.services.db.script('drop trigger end_now_and_then on firings');
    await later(people, triggers, 0);
    for (let due = 1; due > 0; ) due = await duty(server);

    for (const trigger of triggers) {
      const fired = await firings(owner, trigger);
      assert.ok(fired.length >= 5);
      assert.ok(fired.every(({ state }) => state === 'fired'));
      const ticks = fired.map(({ tick_at }) => Date.parse(tick_at)).toSorted();
      const gaps = ticks.slice(1).map((tick, at) => tick - (ticks[at] ?? 0));
      assert.deepEqual(new Set(gaps), new Set([60_000]));
      const { body: runs } = await owner.get(
        `/workflows/workflow-runs?trigger_id=${trigger.id}&limit=1000`,
      );
      const started = (ids: (number | undefined)[]) => ids.toSorted();
      assert.deepEqual(
        started(runs.map(({ id }: { id: number }) => id)),
        started(fired.map(({ workflow_run_id }) => workflow_run_id)),
      );
    }
  });
});

describe('a clock that was a day and two hours ahead', () => {
  it('leaves what it has decided, and silence for no longer than two ticks', async () => {
    const people = await stage();
    const { owner, server } = people;
    const trigger = await hourlyTrigger(people, { overlap: 'allow' });
    await away(people, trigger, 26);
    await duty(server);
    assert.deepEqual(await states(owner, trigger), ['dropped', 'fired']);
    await later(people, [trigger], -26 * 60);
    await duty(server);
    assert.ok(Date.parse((await shown(owner, trigger)).next_fire_at) < Date.now() + 3_600_000);
    for (let hour = 0; hour < 27; hour += 1) {
      await later(people, [trigger], 60);
      await duty(server);
    }
    const fired = (await firings(owner, trigger)).filter(({ state }) => state === 'fired');
    assert.equal(fired.length, 26);
    assert.equal(new Set(fired.map(({ tick_at }) => tick_at)).size, 26);
  });

  it('is followed by all triggers, also by those that are not due for long', async () => {
    const people = await stage();
    const { server } = people;
    const triggers = await Promise.all(Array.from({ length: 3 }, () => hourlyTrigger(people)));
    const ahead = async () =>
      (await server.services.db`select from triggers where last_tick_at > now()`).length;
    // Less than until their next tick.
    for (const { id } of triggers)
      await server.services.db`
        update triggers set last_tick_at = now() + interval '10 minutes' where id = ${id}
      `;
    for (let round = 0; round < 3; round += 1) await duty(server, 1);
    assert.equal(await ahead(), 0);
  });
});
