/**
 * Two servers with work on one database, one of them killed: nothing is lost, nothing done twice.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Client, client } from '../cast.ts';
import { ended } from '../installation.ts';
import { versionOf } from '../runs.ts';
import { until } from '../until.ts';
import { registerNode, storeCredentials } from '../workflows.ts';
import { openForSeveral } from './several-servers.ts';

const runsOfEach = 60;

async function stage() {
  const limits = { RATE_LIMIT_DEFAULT: '0', RATE_LIMIT_HEARTBEAT: '0' };
  const { db, start, adminAt } = await openForSeveral(limits);
  const servers = [await start(), await start()] as const;
  return { db, servers, people: (await adminAt(servers)) as [Client, Client] };
}

/** A run of three nodes in sequence. */
async function chain(owner: Client): Promise<number> {
  const definition = await registerNode(owner, {
    inputs: [{ name: 'in', cardinality: 'optional' }],
    outputs: [{ name: 'out', glob: '*', cardinality: 'optional' }],
    resources: { cpu: 0.1, memory_mb: 16, gpu: 0, disk_mb: 1 },
  });
  const keys = ['a', 'b', 'c'];
  return versionOf(owner, {
    nodes: keys.map((key) => ({ key, node_definition_id: definition })),
    edges: [
      { from: { node: 'a', port: 'out' }, to: { node: 'b', port: 'in' } },
      { from: { node: 'b', port: 'out' }, to: { node: 'c', port: 'in' } },
    ],
    inputs: [],
    variables: [],
  });
}

type Held = { attempt_id: number; lease_token: string };

/**
 * A worker that finishes its work at once. It uses whichever server answers, and repeats unanswered
 * calls; to both servers it is the same worker.
 */
async function work(admin: Client, urls: readonly string[], signal: AbortSignal): Promise<void> {
  const capacity = { cpu: 4, memory_mb: 4096, gpu: 0, disk_mb: 4096 };
  const { body } = await admin.post('/workers', { name: `w ${Math.random()}`, capacity });
  const places = urls.map((url) => client(url, body.worker_token));
  let reports: Held[] = [];
  let beaten = 0;
  for (let turn = 0; !signal.aborted; turn += 1) {
    const place = places[turn % places.length] as Client;
    try {
      if (Date.now() - beaten > 1000) {
        const attempts = reports.map(({ attempt_id, lease_token }) => ({
          attempt_id,
          lease_token,
        }));
        await place.post(`/workers/${body.id}/heartbeat`, { attempts });
        beaten = Date.now();
      }
      const answer = await place.post(`/workers/${body.id}/exchange`, {
        reports: reports.map((one) => ({ ...one, status: 'success', exit_code: 0 })),
        ...{ free: capacity, max: 16, wait_seconds: 1 },
      });
      if (answer.status !== 200) continue;
      for (const { result } of answer.body.accepted)
        assert.ok(result === 'ok' || result === 'lease_lost', result);
      reports = answer.body.orders.map(({ attempt_id, lease_token }: Held) => ({
        attempt_id,
        lease_token,
      }));
    } catch (error) {
      // The server is gone; all other errors fail the test.
      if (error instanceof assert.AssertionError) throw error;
    }
  }
}

describe('two servers under load, of which one is killed', () => {
  it('end every run, do no step twice, and lose none', async () => {
    const { db, servers, people } = await stage();
    const [first, second] = people;
    await storeCredentials(first);
    const version = await chain(first);
    const stopped = new AbortController();
    const urls = servers.map(({ url }) => url);
    const workers = [0, 1, 2, 3].map((at) =>
      work(first, at % 2 === 0 ? urls : urls.toReversed(), stopped.signal),
    );
    const start = (owner: Client) =>
      owner.post(`/workflows/workflow-versions/${version}/run`, { cog_ids: [] });
    const runs: number[] = [];
    const startMany = async (owner: Client) => {
      for (let count = 0; count < runsOfEach; count += 1) {
        const { status, body } = await start(owner);
        assert.equal(status, 202, JSON.stringify(body));
        runs.push(body.workflow_run_id);
      }
    };
    await Promise.all([startMany(first), startMany(second)]);
    const [{ process: killed }] = servers;
    await ended(killed, 'SIGKILL');
    await startMany(second);

    await until('all runs have ended', async () => {
      const [row] = await db<{ count: number }[]>`
          select count(*) as count from workflow_runs where status in ('queued', 'running')
        `;
      return row?.count === 0 || undefined;
    });
    stopped.abort();
    await Promise.all(workers);

    const [counted] = await db`
      select
        (select count(*) from workflow_runs where status = 'success') as runs,
        (select count(*) from begun_node_runs where status = 'success') as node_runs,
        (select count(*) from attempts where status = 'success') as successes,
        (select count(distinct node_run_id) from attempts where status = 'success') as done_once,
        (select sum(success) from run_nodes) as counted,
        (select count(*) from ready_queue) as queued,
        (select count(*) from attempts where status in ('leased', 'running')) as live
    `;
    const steps = runs.length * 3;
    assert.equal(runs.length, runsOfEach * 3);
    assert.deepEqual(
      { ...counted },
      {
        ...{ runs: runs.length, node_runs: steps, successes: steps, done_once: steps },
        ...{ counted: steps, queued: 0, live: 0 },
      },
    );
  });
});
