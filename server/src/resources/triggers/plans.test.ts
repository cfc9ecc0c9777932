import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send, webhook } from '../../../test/hooks.ts';
import { readsOf } from '../../../test/plans.ts';
import { stage } from '../../../test/runs.ts';
import { statementsOf } from '../../../test/statements.ts';

/** One trigger has nearly all that there is, as in a young installation. */
async function busyTrigger() {
  const people = await stage();
  const { db } = people.server.services;
  const hook = await webhook(people);
  await send(hook);
  await db`
    insert into firings (tenant_id, trigger_id, source, tick_at, state, reason)
    select tenant_id, id, 'tick', now() - n * interval '1 minute', 'skipped', 'x'
    from triggers, generate_series(1, 20000) as n
  `;
  await db`
    insert into deliveries (tenant_id, trigger_id, verdict, status, size_bytes)
    select tenant_id, id, 'accepted', 202, 5 from triggers, generate_series(1, 20000)
  `;
  await db`
    insert into triggers
      (tenant_id, name, type, workflow_id, workflow_version_id, cog_ids, extra_variables, enabled,
       run_as_user_id, created_by, cron, timezone, overlap, catch_up, dst_gap, dst_overlap,
       last_tick_at)
    select tenant_id, 'Idle', 'schedule', workflow_id, workflow_version_id, '{}', '{}', true,
      run_as_user_id, created_by, '0 0 * * *', 'UTC', 'skip', 'none', 'skip', 'first', now()
    from triggers, generate_series(1, 5000)
  `;
  await db`analyze triggers, firings, deliveries`;
  return { ...people, hook };
}

describe('where one trigger has most of what there is', () => {
  it('that of others is read along indexes that begin with them', async () => {
    const { owner, server, hook } = await busyTrigger();
    const at = `/workflows/triggers/${hook.id}`;
    const read = async (table: string, ask: () => Promise<unknown>) => {
      const { texts } = await statementsOf(server, ask);
      const about = texts.filter((text) => text.includes(table));
      const reads = await readsOf(table, server.to, about);
      return [...new Set(reads.map((node) => node['Index Name'] ?? 'none'))].toSorted();
    };
    const list = () => owner.get('/workflows/triggers?limit=100');
    assert.deepEqual(await read('firings', list), ['firings_by_trigger', 'firings_fired']);
    assert.deepEqual(await read('triggers', list), ['triggers_tenant_id_id_key']);
    for (const [filter, index] of [
      ['workflow_id=1', 'triggers_by_workflow'],
      ['folder_id=1', 'triggers_by_folder'],
      ['folder_id=1&workflow_id=1', 'triggers_by_folder'],
    ]) {
      const some = () => owner.get(`/workflows/triggers?limit=100&with_total=true&${filter}`);
      assert.deepEqual(await read('triggers', some), [index], filter);
    }
    const one = () => owner.get(at);
    assert.deepEqual(await read('firings', one), ['firings_by_trigger', 'firings_fired']);
    const firings = () => owner.get(`${at}/firings`);
    assert.ok((await read('firings', firings)).includes('firings_by_trigger'));
    assert.equal((await read('firings', firings)).includes('firings_pkey'), false);
    const deliveries = () => owner.get(`${at}/deliveries`);
    assert.deepEqual(await read('deliveries', deliveries), ['deliveries_by_trigger']);
    const refused = () => owner.get(`${at}/deliveries?verdict=refused`);
    assert.deepEqual(await read('deliveries', refused), ['deliveries_by_verdict']);
    const repeated = async () => {
      await send(hook, {}, { id: 'same' });
      await send(hook, {}, { id: 'same' });
    };
    // `none` is the table that is written.
    assert.deepEqual(await read('deliveries', repeated), ['deliveries_by_verdict', 'none']);
  });
});
