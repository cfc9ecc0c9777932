import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send, webhook } from '../../../test/hooks.ts';
import { stage } from '../../../test/runs.ts';
import { removeLeftovers } from './leftovers/leftovers.ts';
import { forgetOldDeliveries } from './webhooks/deliveries.ts';

describe('what triggers keep', () => {
  it('is listed in pages of a few megabytes, however large their variables are', async () => {
    const people = await stage();
    const { owner } = people;
    const { id } = await webhook(people);
    const { body: first } = await owner.get(`/workflows/triggers/${id}`);
    const large = { title: 'x'.repeat(1_000_000) };
    for (let count = 0; count < 6; count += 1) {
      const { status } = await owner.post('/workflows/triggers', {
        ...{ name: 'Large', type: 'webhook', extra_variables: large },
        workflow_version_id: first.workflow_version_id,
      });
      assert.equal(status, 201);
    }
    const page = await owner.get('/workflows/triggers?limit=1000&with_total=true');
    assert.equal(page.headers.get('x-total-count'), '7');
    assert.ok(page.body.length < 7);
    const next = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
    const { pathname, search } = new URL(next, 'http://x');
    const { body: rest } = await owner.get(`${pathname}${search}`);
    assert.equal(page.body.length + rest.length, 7);
  });

  it('of messages that start nothing is no more than a thousand of a kind an hour', async () => {
    const people = await stage();
    const { owner, server } = people;
    const { db } = server.services;
    const hook = await webhook(people);
    const again = () => send(hook, { any: 'thing' }, { id: 'same' });
    assert.equal((await again()).status, 202);
    const repeated = async () =>
      (await owner.get(`/workflows/triggers/${hook.id}/deliveries?verdict=repeated&limit=1000`))
        .body as { has_body: boolean }[];
    const many = (count: number) => db`
      insert into deliveries (tenant_id, trigger_id, verdict, status, size_bytes)
      select ${owner.user.tenant_id}, ${hook.id}, 'repeated', 200, 2
      from generate_series(1, ${count}::int)
    `;
    await again();
    assert.equal((await repeated())[0]?.has_body, true);
    await many(99);
    await again();
    const [latest, ...others] = await repeated();
    assert.deepEqual([latest?.has_body, others.length], [false, 100]);
    await many(899);
    assert.equal((await again()).status, 200);
    assert.equal((await repeated()).length, 1000);
    await db`
      update deliveries set received_at = now() - interval '2 hours' where trigger_id = ${hook.id}
    `;
    await again();
    const { headers } = await owner.get(
      `/workflows/triggers/${hook.id}/deliveries?verdict=repeated&with_total=true&limit=1`,
    );
    assert.equal(headers.get('x-total-count'), '1001');
  });

  it('is removed a portion at a time once they are deleted, however much it is', async () => {
    const people = await stage();
    const { owner, server } = people;
    const { db } = server.services;
    const [hook, other] = [await webhook(people), await webhook(people)];
    const { tenant_id } = owner.user;
    for (const { id } of [hook, other])
      await db`
        insert into deliveries (tenant_id, trigger_id, verdict, status, size_bytes)
        select ${tenant_id}, ${id}, 'repeated', 200, 2 from generate_series(1, 250)
      `;

    assert.equal((await owner.delete(`/workflows/triggers/${hook.id}`)).status, 204);

    assert.equal(await removeLeftovers(db, 100), 0, 'Somebody may still decide about it.');
    await db`update deleted_triggers set deleted_at = now() - interval '1 hour'`;
    const removed = [];
    do removed.push(await removeLeftovers(db, 100));
    while (removed.at(-1) !== 0);
    assert.deepEqual(removed, [100, 100, 50, 1, 0]);
    const left = await db<{ trigger_id: number; count: number }[]>`
      select trigger_id, count(*) as count from deliveries where tenant_id = ${tenant_id} group by 1
    `;
    assert.deepEqual([...left], [{ trigger_id: other.id, count: 250 }]);
  });

  it('of a message that comes again after a day is not forgotten meanwhile', async () => {
    const people = await stage();
    const { db } = people.server.services;
    const hook = await webhook(people);
    await send(hook, {}, { id: 'same' });
    await db`update hook_messages set received_at = now() - interval '25 hours'`;
    const forgetting = await db.transaction(async (tx) => {
      await tx`update hook_messages set received_at = now()`;
      const forgetting = forgetOldDeliveries(db, 100);
      for (let waiting = 0; waiting === 0; ) {
        const [row] = await db<{ count: number }[]>`
          select count(*) as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
        `;
        waiting = row?.count ?? 0;
      }
      return [forgetting];
    });
    await Promise.all(forgetting);
    assert.equal((await db`select from hook_messages where trigger_id = ${hook.id}`).length, 1);
  });
});
