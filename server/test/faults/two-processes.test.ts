/** Two servers on one database, both with work, one of them killed: nothing is lost, nothing twice. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Client, client } from '../cast.ts';
import { relayTo } from '../cut.ts';
import { cloneDatabase } from '../database.ts';
import { ended, serverEnvironment, spawnServer, until } from '../installation.ts';
import { versionOf } from '../runs.ts';
import { registerNode, storeCredentials } from '../workflows.ts';
import { killAll } from './processes.ts';

const root = join(import.meta.dirname, '../../..');
const patience_ms = 120_000;
const runsOfEach = 60;
const stops: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

type Server = { process: ChildProcess; url: string };

async function stage() {
  const dir = await mkdtemp(join(tmpdir(), 'cogworks-two-'));
  stops.push(() => rm(dir, { recursive: true, force: true }));
  const database = await cloneDatabase();
  stops.push(() => database.drop());
  const { url, cut } = await relayTo(database.to);
  stops.push(cut);
  stops.push(() => killAll(dir));
  const env = {
    ...serverEnvironment(dir),
    ...{ DATABASE_URL: url, PORT: '0', LOCAL_WORKER: 'off', LOG_LEVEL: 'warn' },
    ...{ RATE_LIMIT_DEFAULT: '0', RATE_LIMIT_HEARTBEAT: '0' },
  };
  const start = async (): Promise<Server> => {
    const lines: string[] = [];
    const process = spawnServer(env, lines);
    const ready = await until(
      'the server is ready',
      () => {
        if (process.exitCode !== null) throw new Error(lines.join('\n'));
        return /ready at (\S+)/.exec(lines.join('\n'))?.[1];
      },
      patience_ms,
    );
    return { process, url: ready };
  };
  const servers = [await start(), await start()] as const;
  const command = ['create-api-key', '--email', 'admin@localhost', '--description', 'two'];
  const options = { cwd: root, env };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['server/src/admin.ts', ...command],
    options,
  );
  const people = await Promise.all(
    servers.map(async ({ url }) => {
      const { body } = await client(url).post('/api-keys/token', { api_key: stdout.trim() });
      return client(url, body.access_token);
    }),
  );
  return { db: database.db, servers, people: people as [Client, Client] };
}

/** Three nodes, one after the other. */
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
 * A worker that has what it is given run in no time. It asks whichever server answers, and repeats
 * what was not answered; it is the same one to both.
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
      // A server that is gone; everything else is a fault.
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

    await until(
      'all runs have ended',
      async () => {
        const [row] = await db<{ count: number }[]>`
          select count(*) as count from workflow_runs where status in ('queued', 'running')
        `;
        return row?.count === 0 || undefined;
      },
      patience_ms,
    );
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
