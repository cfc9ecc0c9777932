import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cast } from '../../../test/cast.ts';
import { readsOf } from '../../../test/plans.ts';
import { statementsOf } from '../../../test/statements.ts';
import { type EventFilters, findEvents } from './queries.ts';

describe('a large audit trail', () => {
  it('is read along an index in its order, whatever it is filtered by', async () => {
    const { admin, owner, server } = await cast();
    const { tenant_id } = admin.user;
    await server.services.db`
      insert into audit_events (tenant_id, actor_id, action, target_type, target_id, created_at)
      select ${tenant_id}, ${owner.user.id}, 'cog.' || (array['created', 'moved'])[1 + n % 2], 'cog',
             (n % 1000)::text, now() - n * interval '1 minute'
      from generate_series(1, 30000) as n
    `;
    await server.services.db`analyze audit_events`;
    const indexesOf = async (filter: string) => {
      const { texts } = await statementsOf(server, () =>
        admin.get(`/audit-events/?limit=2&${filter}`),
      );
      const about = texts.filter((text) => text.includes('from audit_events'));
      assert.equal(about.length, 1, filter);
      const reads = await readsOf('audit_events', server.to, about);
      return [...new Set(reads.map((node) => node['Index Name'] ?? 'all of it'))].toSorted();
    };

    const expected = {
      '': ['audit_events_in_order'],
      'outcome=done': ['audit_events_in_order'],
      'from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z': ['audit_events_in_order'],
      'outcome=done&action=user.': ['audit_events_by_action'],
      'outcome=done&actor_id=7': ['audit_events_by_actor'],
      'action=worker.': ['audit_events_by_action'],
      'outcome=failed': ['audit_events_by_action'],
      'actor_id=7': ['audit_events_by_actor'],
      'actor_id=7&action=user.': ['audit_events_by_actor'],
      'user_id=7': ['audit_events_by_actor', 'audit_events_by_target'],
      'target_type=cog&target_id=7': ['audit_events_by_target'],
      'target_type=cog&target_id=7&action=cog.': ['audit_events_by_target'],
    };
    for (const [filter, indexes] of Object.entries(expected))
      assert.deepEqual(await indexesOf(filter), indexes, filter);
  });

  it('is read for one page, however many events an outcome leaves out', async () => {
    const { admin, owner, server } = await cast();
    const { db } = server.services;
    const { tenant_id } = admin.user;
    await db`
      insert into audit_events (tenant_id, actor_id, action, target_type, target_id)
      select ${tenant_id}, ${owner.user.id}, action, 'cog', n::text
      from unnest(array['user.changed', 'user.sign_in_failed']) as action, generate_series(1, 5000) as n
    `;
    await db`analyze audit_events`;
    const rowsReadFor = (filters: EventFilters) =>
      db.transaction(async (tx) => {
        const events = await findEvents(tx, tenant_id, filters, {
          limit: 10,
          offset: 0,
          with_total: false,
        });
        assert.equal(events.length, 10);
        const [row] = await tx<{ count: number }[]>`
          select sum(pg_stat_get_xact_tuples_returned(id)) as count
          from (
            select 'audit_events'::regclass as id
            union all
            select indexrelid from pg_index where indrelid = 'audit_events'::regclass
          ) as read_from
        `;
        return Number(row?.count);
      });

    for (const outcome of ['done', 'failed'] as const)
      for (const others of [{ action: 'user.' }, { actor_id: owner.user.id }]) {
        const count = await rowsReadFor({ outcome, ...others });
        assert.ok(count < 100, `${count} rows for ${JSON.stringify({ outcome, ...others })}`);
      }
  });

  it('is paged in one order with each filter, without a gap', async () => {
    const { admin, owner, viewer, server } = await cast();
    const { tenant_id } = admin.user;
    await server.services.db`
      insert into audit_events (tenant_id, actor_id, action, target_type, target_id, created_at)
      select ${tenant_id}, ${owner.user.id}, (array['a.x', 'a.y', 'b.x'])[1 + n % 3], 'user',
             (array[${owner.user.id}::text, ${viewer.user.id}::text])[1 + n % 2],
             now() - (n / 4) * interval '1 second'
      from generate_series(1, 60) as n
    `;
    const all = async (filter: string) => {
      const ids: number[] = [];
      let path: string | undefined = `/audit-events/?limit=7&to=2100-01-01T00:00:00Z&${filter}`;
      while (path !== undefined) {
        const page: Awaited<ReturnType<typeof admin.get>> = await admin.get(path);
        ids.push(...page.body.map(({ id }: { id: number }) => id));
        const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
        path = next?.slice(next.indexOf('/audit-events'));
      }
      return ids;
    };
    type Event = { id: number; action: string; actor_id?: number; target_id: string };
    const events = await server.services.db<Event[]>`
      select id, action, actor_id, target_id
      from audit_events
      where tenant_id = ${tenant_id}
      order by created_at desc, id desc
    `;
    const [did, suffered] = [owner.user.id, viewer.user.id];

    const filters: [filter: string, matches: (event: Event) => boolean][] = [
      ['action=a.', () => true],
      [`actor_id=${did}&action=a.`, (event) => event.actor_id === did],
      [`user_id=${suffered}&action=a.`, (event) => event.target_id === `${suffered}`],
      [`user_id=${did}&action=a.`, (event) => event.actor_id === did],
      [`target_type=user&target_id=${did}&action=a.`, (event) => event.target_id === `${did}`],
    ];
    for (const [filter, matches] of filters) {
      const wanted = events.filter((event) => event.action.startsWith('a.') && matches(event));
      assert.ok(wanted.length > 14, filter);
      assert.deepEqual(
        await all(filter),
        wanted.map(({ id }) => id),
        filter,
      );
    }
  });
});
