import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Client } from '../../../../test/cast.ts';
import { cast } from '../../../../test/cast.ts';
import { filesOf, run, type Stage, stage, versionOf } from '../../../../test/runs.ts';
import { startServer } from '../../../../test/server.ts';
import { mappedGraph, registerNode } from '../../../../test/workflows.ts';
import { foldStatistics } from './analytics.ts';

type Series = { key: string; title: string; points: { t: string; value: number }[] };

const report = async (client: Client, name: string, query = '') =>
  (await client.get(`/platform/analytics/${name}?${query}`)).body;
const totals = async (client: Client, name: string, query = '') =>
  (await report(client, name, query)).totals;

async function workflowOf({ owner }: Stage) {
  const definition = await registerNode(owner);
  return { definition, version: await versionOf(owner, mappedGraph(definition)) };
}

describe('analytics', () => {
  it('count runs, containers, credits, people and bytes', async () => {
    const people = await stage();
    const { admin, owner, worker } = people;
    const { definition, version } = await workflowOf(people);
    const files = await filesOf(owner, 'one.txt', 'two.txt', 'three.txt');
    await run(owner, version, { cog_ids: files });
    const [first] = await worker.acquire(1);
    assert.ok(first);
    await worker.started(first);
    await worker.fail(first);
    await worker.work();

    const runs = await totals(admin, 'runs');
    assert.deepEqual(
      [runs.started, runs.success, runs.partial_success, runs.failure],
      [1, 0, 1, 0],
    );
    assert.ok(runs.duration_p50 > 0);
    const nodes = await totals(admin, 'nodes');
    assert.equal(nodes[`attempts:${definition}`], 3);
    assert.equal(nodes[`failures:${definition}`], 1);
    const { series } = await report(admin, 'workers');
    assert.match(series[0].subject, /^worker-/);
    const workers = await totals(admin, 'workers');
    assert.equal(workers[`attempts:${worker.id}`], 3);
    const users = await totals(admin, 'users');
    assert.equal(users[`runs:${owner.user.id}`], 1);
    assert.ok(users.active_users >= 1);
    const [{ charged } = { charged: -1 }] = await people.server.services.db<{ charged: number }[]>`
      select sum(millicredits)::int as charged from usage_events
      where tenant_id = ${owner.user.tenant_id}
    `;
    assert.equal((await totals(admin, 'credits')).credits, charged / 1000);
    const overview = await totals(admin, 'overview');
    assert.deepEqual([overview.runs_started, overview.containers], [1, 3]);
  });

  it('count a run that ends as it begins', async () => {
    const people = await stage();
    const { admin, owner } = people;
    const node_definition_id = await registerNode(owner, { inputs: [] });
    const version = await versionOf(owner, {
      nodes: [{ key: 'never', node_definition_id, when: 'vars.go == true' }],
      variables: [{ variable_name: 'go', type: 'boolean', required: false, default: false }],
      ...{ edges: [], inputs: [] },
    });

    await run(owner, version, { cog_ids: [] });

    const { started, success, duration_p50 } = await totals(admin, 'runs');
    assert.deepEqual([started, success], [1, 1]);
    assert.ok(duration_p50 < 0.001 && duration_p50 > 0);
    assert.equal((await totals(admin, 'overview')).runs_finished, 1);
  });

  it('have the fifty with most, and count everybody once', async () => {
    const { server, admin } = await cast();
    await server.services.db`
      insert into statistics (tenant_id, measure, bucket, key, count, amount)
      select ${admin.user.tenant_id}, measure, quarter_of(now() - day * interval '1 day'), id::text,
        id, 0
      from generate_series(101, 160) as id, generate_series(1, 2) as day,
        unnest(array['runs_of_user', 'active_user']) as measure
    `;

    const { series, totals } = await report(admin, 'users');

    assert.deepEqual(
      series.map(({ key }: Series) => key),
      ['active_users', ...Array.from({ length: 50 }, (_, at) => `runs:${160 - at}`)],
    );
    assert.deepEqual([totals.active_users, totals['runs:160']], [60, 320]);
  });

  it('have the workflows that used most credits, not those with most containers', async () => {
    const { admin, server } = await cast();
    await server.services.db`
      insert into statistic_changes (tenant_id, measure, bucket, key, count, amount)
      select ${admin.user.tenant_id}::bigint, 'credits', '2027-03-01T00:00:00Z'::timestamptz,
        id::text, case id when 51 then 1 else 1000 end, case id when 51 then 500000 else 1000 end
      from generate_series(1, 51) as id
    `;

    const range = 'from=2027-03-01T00:00:00Z&to=2027-03-01T01:00:00Z';
    const { series, totals: used } = await report(admin, 'credits', range);

    const keys = series.map(({ key }: Series) => key);
    assert.deepEqual(keys.slice(0, 3), ['credits', 'credits:51', 'credits:1']);
    assert.deepEqual([keys.length, used['credits:51'], used.credits], [51, 500, 550]);
  });

  it('say what is stored at the end of each period', async () => {
    const { server, admin, owner } = await cast();
    await owner.upload('a.bin', new Uint8Array(1000));
    const { db } = server.services;
    await foldAll(db);
    await db`
      insert into statistics (tenant_id, measure, bucket, key, count, amount)
      values (${owner.user.tenant_id}, 'stored_bytes', quarter_of(now() - interval '3 days'), '', 0, 500)
    `;
    const { series } = await report(admin, 'storage', `from=${daysAgo(1)}`);
    assert.deepEqual(
      series[0].points.map(({ value }: { value: number }) => value),
      [500, 1500],
    );
  });

  it('are for administrators, of their own organization', async () => {
    const { admin, owner, stranger } = await cast();
    const own = `tenant_id=${admin.user.tenant_id}`;
    assert.equal((await owner.get('/platform/analytics/overview')).status, 403);
    assert.equal((await admin.get('/platform/analytics/overview')).status, 200);
    assert.equal((await admin.get(`/platform/analytics/overview?${own}`)).status, 200);
    assert.equal((await stranger.get(`/platform/analytics/overview?${own}`)).status, 403);
  });

  it('are of all organizations for platform administrators, or of one', async () => {
    const server = await startServer();
    const [one, other] = [await stage(server), await stage(server)];
    for (const people of [one, other]) {
      const { version } = await workflowOf(people);
      await run(people.owner, version, { cog_ids: await filesOf(people.owner, 'x.txt') });
    }
    await server.services.db`
      update users set is_platform_admin = true where id = ${one.admin.user.id}
    `;
    await server.services.db`select pg_notify('callers', 'user ' || ${one.admin.user.id}::text)`;
    const asPlatform = async (query = '') => (await totals(one.admin, 'runs', query)).started;
    while ((await asPlatform()) !== 2);
    assert.equal(await asPlatform(`tenant_id=${other.owner.user.tenant_id}`), 1);
  });

  it('refuse a range that cannot be meant', async () => {
    const { admin } = await cast();
    const faults: [string, string][] = [
      ['tz=Mars/Phobos', 'tz'],
      ['tz=%2B05:30', 'tz'],
      ['from=2027-01-02T00:00:00Z&to=2027-01-01T00:00:00Z', 'from'],
      ['from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z&bucket=hour', 'bucket'],
      ['from=1970-01-01T00:00:00Z', 'from'],
      ['bucket=year', 'bucket'],
    ];
    for (const [query, field] of faults) {
      const { status, body } = await admin.get(`/platform/analytics/runs?${query}`);
      assert.equal(status, 422, query);
      assert.equal(body.detail[0].loc[1], field);
    }
    assert.equal((await admin.get('/platform/analytics/money')).status, 404);
  });

  it('come as CSV that no spreadsheet takes for a formula', async () => {
    const people = await stage();
    const { admin, owner } = people;
    const graph = mappedGraph(await registerNode(owner));
    const { body } = await owner.post('/workflows', { name: '=1+1,"x"', graph });
    const file = await filesOf(owner, 'x.txt');
    await run(owner, body.latest_version_id, { cog_ids: file });
    await people.worker.work();
    const headers = { accept: 'text/csv' };
    const answer = await admin.get('/platform/analytics/credits', { headers });
    assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/);
    const [header, ...rows] = (answer.body as string).trimEnd().split('\r\n');
    assert.equal(header, `t,Credits,"'=1+1,""x"""`);
    assert.equal(rows.length, 31);
  });

  it('equal a count of everything at any moment, in any zone', async () => {
    const people = await stage();
    const { admin, owner, server } = people;
    const { db } = server.services;
    const { version } = await workflowOf(people);
    const [file = 0] = await filesOf(owner, 'x.txt');
    await run(owner, version, { cog_ids: [file] });
    const zones = [
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'America/St_Johns',
      'Africa/Cairo',
      'UTC',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            at: fc.date({
              ...{ min: new Date('2027-03-20'), max: new Date('2027-04-20'), noInvalidDate: true },
            }),
            // Of a run that ends.
            ms: fc.option(fc.integer({ min: 0, max: 36_000_000 }), { nil: undefined }),
            folds: fc.boolean(),
          }),
          { minLength: 1, maxLength: 8 },
        ),
        fc.constantFrom(...zones),
        fc.constantFrom('hour', 'day', 'week', 'month'),
        async (events, tz, bucket) => {
          for (const { at, ms, folds } of events) {
            await addRun(db, owner.user.tenant_id, at, ms);
            if (folds) await foldStatistics(db, 3);
          }
          const range = 'from=2027-03-31T00:00:00Z&to=2027-04-06T00:00:00Z';
          const { series, to } = await report(admin, 'runs', `${range}&tz=${tz}&bucket=${bucket}`);
          for (const [key, column] of [
            ['started', 'created_at'],
            ['success', 'finished_at'],
          ] as const) {
            const { points } = series.find((one: Series) => one.key === key) as Series;
            assert.deepEqual(
              points.map(({ value }) => value),
              await bruteForce(db, owner.user.tenant_id, column, tz, bucket, points),
            );
          }
          for (const [key, share] of [
            ['duration_p50', 0.5],
            ['duration_p95', 0.95],
          ] as const) {
            const { points } = series.find((one: Series) => one.key === key) as Series;
            const exact = await exactDurations(db, owner.user.tenant_id, share, points, to);
            for (const [at, { value }] of points.entries()) {
              const right = exact[at] ?? 0;
              assert.ok(Math.abs(value - right) <= 0.05 * right + 0.001, `${value} for ${right}`);
            }
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});

type Db = Awaited<ReturnType<typeof cast>>['server']['services']['db'];

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

async function foldAll(db: Db) {
  const { foldStorageChanges } = await import('../../../objects/quota.ts');
  for (let folded = 1; folded > 0; ) folded = await foldStorageChanges(db, 1000);
  for (let folded = 1; folded > 0; ) folded = await foldStatistics(db, 1000);
}

/** A run at another time, as if it had been then. */
async function addRun(db: Db, tenantId: number, at: Date, ms: number | undefined) {
  const [copy] = await db<{ id: number }[]>`
    insert into workflow_runs
      (tenant_id, workflow_id, workflow_version_id, graph_hash, node_counts, first_ids,
       extra_variables, started_by, test_run, created_at, started_at)
    select tenant_id, workflow_id, workflow_version_id, graph_hash, node_counts, first_ids,
      extra_variables, started_by, test_run, ${at}, ${at}
    from workflow_runs
    where tenant_id = ${tenantId}
    order by id
    limit 1
    returning id
  `;
  if (ms === undefined) return;
  await db`
    update workflow_runs
    set status = 'success', finished_at = ${new Date(at.getTime() + ms)}
    where id = ${copy?.id ?? 0}
  `;
}

/** Of each period, in seconds: what this share of the runs that ended in it did not exceed. */
async function exactDurations(
  db: Db,
  tenantId: number,
  share: number,
  points: Series['points'],
  to: string,
): Promise<number[]> {
  const runs = await db<{ finished_at: string; seconds: number }[]>`
    select finished_at, extract(epoch from finished_at - started_at)::float8 as seconds
    from workflow_runs
    where tenant_id = ${tenantId} and status = 'success'
    order by seconds
  `;
  return points.map(({ t }, at) => {
    const end = points[at + 1]?.t ?? to;
    const inIt = runs.filter(({ finished_at }) => finished_at >= t && finished_at < end);
    return inIt[Math.ceil(inIt.length * share) - 1]?.seconds ?? 0;
  });
}

/** Counted from the runs, by PostgreSQL's own sense of time zones where that has the same data. */
async function bruteForce(
  db: Db,
  tenantId: number,
  column: 'created_at' | 'finished_at',
  tz: string,
  bucket: string,
  points: Series['points'],
): Promise<number[]> {
  const instant = column === 'created_at' ? db`created_at` : db`finished_at`;
  const rows = await db<{ local: string; count: number }[]>`
    select to_char(date_trunc(${bucket}, ${instant} at time zone ${tz}), 'YYYY-MM-DD HH24') as local,
      count(*) as count
    from workflow_runs
    where tenant_id = ${tenantId} and ${instant} is not null
      and ${column === 'created_at' ? db`true` : db`status = 'success'`}
    group by 1
  `;
  const counts = new Map(rows.map(({ local, count }) => [local, count]));
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone: tz, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit' },
  });
  // A local hour that comes twice has two points.
  const locals = points.map(({ t }) => format.format(new Date(t)).slice(0, 13));
  const values = points.map(({ value }) => value);
  return locals.map((local, at) => {
    const same = locals.flatMap((one, index) => (one === local ? [index] : []));
    if (same.length === 1) return counts.get(local) ?? 0;
    const others = same.filter((index) => index !== at).map((index) => values[index] ?? 0);
    return (counts.get(local) ?? 0) - others.reduce((total, value) => total + value, 0);
  });
}
