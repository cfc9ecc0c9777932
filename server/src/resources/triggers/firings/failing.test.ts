import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Stage, stage } from '../../../../test/runs.ts';
import { away, hourlyTrigger, type Scheduled, states } from '../../../../test/schedules.ts';
import { openGraphThreads } from '../../workflows/graph-bodies.ts';
import { fireDueTriggers } from './firing.ts';

const threads = openGraphThreads();
after(() => threads.close());

const mostAtOnce = 5;
const duty = ({ server }: Stage) => fireDueTriggers({ ...server.services, threads }, mostAtOnce);

/** Whose firings fail in the database. */
async function failing(people: Stage, count: number): Promise<Scheduled[]> {
  const triggers = await Promise.all(
    Array.from({ length: count }, () => hourlyTrigger(people, { overlap: 'allow' })),
  );
  await people.server.services.db.script(`
    create function refuse_firing() returns trigger language plpgsql as
      $$ begin raise exception 'no'; end $$;
    create trigger refuse_firing before insert on firings for each row
      when (new.trigger_id in (${triggers.map(({ id }) => id)}))
      execute function refuse_firing();
  `);
  return triggers;
}

const gauge = async ({ server }: Stage, name: string) => {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
};

describe('triggers whose firing fails in the service', () => {
  it('pause, so that as many as are taken at once hold up no other', async () => {
    const people = await stage();
    const { owner, server } = people;
    const { db } = server.services;
    const broken = await failing(people, mostAtOnce);
    const sound = await hourlyTrigger(people);
    for (const trigger of broken) await away(people, trigger, 3);
    await away(people, sound, 1);

    await duty(people);
    assert.deepEqual(await states(owner, sound), []);
    assert.equal(await gauge(people, 'cogworks_triggers_failing'), mostAtOnce);
    await duty(people);
    assert.deepEqual(await states(owner, sound), ['fired']);

    const pauses = async () =>
      (
        await db<{ pause: number }[]>`
          select distinct round(extract(epoch from retry_at - now()))::int as pause
          from triggers where failures > 0
        `
      ).map(({ pause }) => pause);
    await db`update triggers set retry_at = now(), failures = 30 where failures > 0`;
    await duty(people);
    assert.deepEqual(await pauses(), [300], 'Five minutes at most.');

    await db.script('drop trigger refuse_firing on firings');
    await db`update triggers set retry_at = now() where failures > 0`;
    await duty(people);
    for (const trigger of broken) assert.equal((await states(owner, trigger)).at(-1), 'fired');
    // Measured at most once a second.
    while ((await gauge(people, 'cogworks_triggers_failing')) !== 0);
  });

  it('are tried at once after a change', async () => {
    const people = await stage();
    const trigger = await hourlyTrigger(people);
    await people.server.services.db`
      update triggers set failures = 9, retry_at = now() + interval '1 hour' where id = ${trigger.id}
    `;
    await people.owner.patch(`/workflows/triggers/${trigger.id}`, { name: 'Mended' });
    await away(people, trigger, 1);
    await duty(people);
    assert.deepEqual(await states(people.owner, trigger), ['fired']);
  });
});
