/** What reports say beside runs (analytics.test.ts), compared with a list of all that happened. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Client } from '../../../../test/cast.ts';
import { filesOf, run, type Stage, stage, versionOf } from '../../../../test/runs.ts';
import { type ScriptedWorker, scriptedWorker } from '../../../../test/worker.ts';
import { mappedGraph, registerNode } from '../../../../test/workflows.ts';
import type { Db } from '../../../db/connection.ts';
import { foldStatistics } from './analytics.ts';

/** A real attempt, of which others are copies: what ran it, and where. */
type Place = { attempt: number; run: number; workflow: number; node: number; worker: number };
type Container = { place: Place; at: Date; seconds: number; millicredits: number; failed: boolean };
type Act = { by: number; at: Date };
/** All that happened. */
type Facts = { containers: Container[]; runs: Act[]; acts: Act[] };
type Report = {
  to: string;
  series: { key: string; points: { t: string; value: number }[] }[];
  totals: Record<string, number>;
};

describe('reports after any history', () => {
  it('equal a count of all that happened, at any moment, whatever was deleted since', async () => {
    const people = await stage();
    const { admin, owner, editor, server } = people;
    const { db } = server.services;
    const { tenant_id } = owner.user;
    const second = await scriptedWorker(server, tenant_id);
    const places = [await place(people, people.worker), await place(people, second)];
    const facts: Facts = { containers: [], runs: [], acts: [] };
    // At and beside a few instants, so that much comes into one bucket; 18:30 is midnight in India.
    const at = fc
      .tuple(fc.integer({ min: 0, max: 11 }), fc.constantFrom(-1, 0, 1))
      .map(([eights, ms]) => new Date(Date.parse('2027-04-02T02:30Z') + eights * 28_800_000 + ms));
    const by = fc.constantFrom(owner.user.id, editor.user.id, admin.user.id);
    const amounts = {
      seconds: fc.integer({ min: 0, max: 1_000_000 }).map((ms) => ms / 1000),
      millicredits: fc.integer({ min: 0, max: 100_000 }),
      failed: fc.boolean(),
    };
    const event = fc.oneof(
      fc.record({
        is: fc.constant('container'),
        place: fc.constantFrom(...places),
        at,
        ...amounts,
      }),
      fc.record({ is: fc.constant('run'), by, at }),
      fc.record({ is: fc.constant('act'), by, at }),
      fc.record({ is: fc.constant('fold'), most: fc.integer({ min: 1, max: 40 }) }),
    );
    const happen = async (one: typeof event extends fc.Arbitrary<infer One> ? One : never) => {
      if ('most' in one) await foldStatistics(db, one.most);
      else if ('place' in one) {
        facts.containers.push(one);
        await addContainer(db, one);
      } else {
        (one.is === 'run' ? facts.runs : facts.acts).push(one);
        await (one.is === 'run'
          ? addRun(db, places[0]?.run ?? 0, one)
          : addAct(db, tenant_id, one));
      }
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 1, maxLength: 12 }),
        fc.constantFrom('Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'),
        fc.constantFrom('hour', 'day', 'week'),
        async (events, tz, bucket) => {
          for (const one of events) await happen(one);
          await deleteARun(owner, db);
          const query = `from=2027-04-03T00:00:00Z&to=2027-04-05T00:00:00Z&tz=${tz}&bucket=${bucket}`;
          for (const [name, expected] of Object.entries(wanted)) {
            const { status, body } = await admin.get(`/platform/analytics/${name}?${query}`);
            assert.equal(status, 200, JSON.stringify(body));
            assert.deepEqual(shown(body), expected(facts, body), `${name} by ${bucket} in ${tz}`);
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});

/** The value of each series in each period, and in all, by its key; in whole thousandths. */
const shown = ({ series, totals }: Report) =>
  Object.fromEntries(
    series.map(({ key, points }) => [
      key,
      [...points.map(({ value }) => value), totals[key] ?? -1].map((value) =>
        Math.round(value * 1000),
      ),
    ]),
  );

/** Series of a report, as they have to be. */
type Lines = Record<string, number[]>;

/** In each period, and in all, what `worth` says of those that are in it. */
function line<Fact extends { at: Date }>(
  all: readonly Fact[],
  { series, to }: Report,
  worth: (those: Fact[]) => number = ({ length }) => length,
): number[] {
  const starts = series[0]?.points.map(({ t }) => Date.parse(t)) ?? [];
  const limits = [...starts, Date.parse(to)];
  const within = (from = 0, until = 0) => all.filter(({ at }) => +at >= from && +at < until);
  const periods = starts.map((start, index) => within(start, limits[index + 1]));
  return [...periods, within(limits[0], limits.at(-1))].map((those) =>
    Math.round(worth(those) * 1000),
  );
}

/** One of them for each id that there is in the range. */
function byId<Fact extends { at: Date }>(
  all: readonly Fact[],
  report: Report,
  idOf: (fact: Fact) => number,
  lines: (id: number, its: Fact[]) => Lines,
): Lines {
  const groups = [...Map.groupBy(all, idOf)].filter(
    ([, its]) => (line(its, report).at(-1) ?? 0) > 0,
  );
  return Object.assign({}, ...groups.map(([id, its]) => lines(id, its)));
}

const sumOf = (value: (one: Container) => number) => (those: Container[]) =>
  those.reduce((total, one) => total + value(one), 0);
const credits = sumOf(({ millicredits }) => millicredits / 1000);
const people = (acts: Act[]) => new Set(acts.map(({ by }) => by)).size;

const containersBy =
  (idOf: (one: Container) => number) =>
  ({ containers }: Facts, report: Report): Lines =>
    byId(containers, report, idOf, (id, its) => ({
      [`attempts:${id}`]: line(its, report),
      [`failures:${id}`]: line(
        its,
        report,
        sumOf(({ failed }) => Number(failed)),
      ),
      [`seconds:${id}`]: line(
        its,
        report,
        sumOf(({ seconds }) => seconds),
      ),
    }));

const wanted: Record<string, (facts: Facts, report: Report) => Lines> = {
  nodes: containersBy(({ place: { node } }) => node),
  workers: containersBy(({ place: { worker } }) => worker),
  credits: ({ containers }, report) => ({
    credits: line(containers, report, credits),
    ...byId(
      containers,
      report,
      ({ place: { workflow } }) => workflow,
      (id, its) => ({ [`credits:${id}`]: line(its, report, credits) }),
    ),
  }),
  users: ({ runs, acts }, report) => ({
    active_users: line([...runs, ...acts], report, people),
    ...byId(
      runs,
      report,
      ({ by }) => by,
      (id, its) => ({ [`runs:${id}`]: line(its, report) }),
    ),
  }),
  overview: ({ containers, runs, acts }, report) => ({
    runs_started: line(runs, report),
    runs_finished: line(runs, report),
    containers: line(containers, report),
    credits: line(containers, report, credits),
    active_users: line([...runs, ...acts], report, people),
    // Those of the files that the runs began with.
    stored_bytes: shown(report).stored_bytes ?? [],
  }),
};

async function place({ owner, server }: Stage, worker: ScriptedWorker): Promise<Place> {
  const node = await registerNode(owner);
  const version = await versionOf(owner, mappedGraph(node));
  const { body } = await run(owner, version, { cog_ids: await filesOf(owner, `${version}.txt`) });
  const [order] = await worker.acquire(1);
  await worker.fail(order);
  const [row] = await server.services.db<{ workflow_id: number }[]>`
    select workflow_id from workflow_runs where id = ${body.workflow_run_id}
  `;
  return {
    ...{ attempt: order.attempt_id, run: body.workflow_run_id, node, worker: worker.id },
    workflow: row?.workflow_id ?? 0,
  };
}

/** A container that ran then, beside the one that really ran there. */
async function addContainer(db: Db, { place, at, seconds, millicredits, failed }: Container) {
  const [copy] = await db<{ id: number }[]>`
    insert into attempts
      (id, tenant_id, run_id, node_run_id, worker_id, lease_token, lease_expires_at, status, cpu,
       memory_mb, gpu, disk_mb, number, position)
    select (select max(id) + 1 from attempts), tenant_id, run_id, node_run_id, worker_id,
      gen_random_uuid(), lease_expires_at, ${failed ? 'failure' : 'success'}, cpu, memory_mb, gpu,
      disk_mb, (select max(number) + 1 from attempts where run_id = first.run_id), position
    from attempts as first
    where id = ${place.attempt}
    returning id
  `;
  await db`
    insert into usage_events
      (attempt_id, tenant_id, run_id, node_run_id, seconds, cpu, memory_mb, gpu, millicredits,
       created_at)
    select ${copy?.id ?? 0}, tenant_id, run_id, node_run_id, ${seconds}, cpu, memory_mb, gpu,
      ${millicredits}, ${at}
    from usage_events
    where attempt_id = ${place.attempt}
  `;
}

/** A run that ended as it began. */
const addRun = (db: Db, like: number, { by, at }: Act) => db`
  insert into workflow_runs
    (tenant_id, workflow_id, workflow_version_id, status, graph_hash, node_counts, first_ids,
     extra_variables, started_by, test_run, created_at, started_at, finished_at)
  select tenant_id, workflow_id, workflow_version_id, 'success', graph_hash, node_counts, first_ids,
    extra_variables, ${by}, test_run, ${at}, ${at}, ${at}
  from workflow_runs
  where id = ${like}
`;

const addAct = (db: Db, tenantId: number, { by, at }: Act) => db`
  insert into audit_events (tenant_id, action, target_type, actor_id, created_at)
  values (${tenantId}, 'x', 'x', ${by}, ${at})
`;

/** The oldest of those that are counted, by its owner if it is one of theirs. */
async function deleteARun(owner: Client, db: Db) {
  const [oldest] = await db<{ id: number }[]>`
    select id from workflow_runs
    where tenant_id = ${owner.user.tenant_id} and started_by = ${owner.user.id}
      and created_at > '2027-01-01' and deleted_at is null
    order by id limit 1
  `;
  if (!oldest) return;
  const { status } = await owner.delete(`/workflows/workflow-runs/${oldest.id}`);
  assert.equal(status, 204);
}
