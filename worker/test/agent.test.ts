/** The agent with the real server, and executors instead of containers. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { newEnrollmentToken } from '../../server/src/resources/workers/workers.ts';
import { type Cast, cast } from '../../server/test/cast.ts';
import { look, run, versionOf } from '../../server/test/runs.ts';
import { until } from '../../server/test/until.ts';
import { registerNode, storeCredentials } from '../../server/test/workflows.ts';
import { type Agent, startAgent } from '../src/agent.ts';
import type { Executor } from '../src/executor.ts';
import { noExecutor } from '../src/executors/none.ts';
import type { Log } from '../src/log.ts';
import { readSettings } from '../src/settings.ts';

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };
const folders: string[] = [];
const agents: Agent[] = [];
after(async () => {
  for (const agent of agents) {
    agent.stop();
    await agent.done;
  }
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

/** A tenant with a worker of its own that runs its work by `executor`. */
async function tenantWithAgent(executor: Executor) {
  const people = await cast();
  await storeCredentials(people.admin);
  const { server, owner } = people;
  const { enrollment_token } = await newEnrollmentToken(
    server.services.db,
    owner.user.tenant_id,
    null,
    3600,
  );
  const folder = await mkdtemp(join(tmpdir(), 'cogworks-agent-'));
  folders.push(folder);
  const settings = readSettings(['--dir', folder, '--name', `worker-${randomUUID()}`], {
    COGWORKS_URL: server.url,
    COGWORKS_ENROLLMENT_TOKEN: enrollment_token,
    COGWORKS_EXECUTOR: 'none',
  });
  assert.ok(settings);
  const agent = await startAgent(settings, executor, silent);
  agents.push(agent);
  return { ...people, agent };
}

/** Starts a run of this many nodes, one after the other. @returns its id. */
async function startChain({ owner }: Cast, length: number): Promise<number> {
  const out = { name: 'out', glob: '*', cardinality: 'optional' };
  const id = await registerNode(owner, {
    inputs: [{ name: 'in', cardinality: 'optional' }],
    outputs: [out],
  });
  const keys = Array.from({ length }, (_, index) => `n${index}`);
  const version = await versionOf(owner, {
    nodes: keys.map((key) => ({ key, node_definition_id: id })),
    edges: keys.slice(1).map((key, index) => ({
      from: { node: `n${index}`, port: 'out' },
      to: { node: key, port: 'in' },
    })),
    inputs: [],
    variables: [],
  });
  const { status, body } = await run(owner, version, { cog_ids: [] });
  assert.equal(status, 202, JSON.stringify(body));
  return body.workflow_run_id;
}

/** The run, once it is as `isReady` says. */
async function runWhen({ owner }: Cast, id: number, isReady: (run: Run) => boolean) {
  return until(`run ${id} is ready`, async () => {
    const found = await look(owner, id);
    return isReady(found) ? found : null;
  });
}
// biome-ignore lint/suspicious/noExplicitAny: what the server really sent
type Run = any;
const hasEnded = ({ status }: Run) => status !== 'queued' && status !== 'running';

/** Runs each attempt until it is told to stop. */
const endless: Executor = {
  ...noExecutor,
  execute: async (_order, hooks, signal) => {
    hooks.onStarted();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { status: 'cancelled' };
  },
};

describe('an agent', () => {
  it('takes work as it comes, has it run, and reports', async () => {
    const people = await tenantWithAgent(noExecutor);

    const ended = await runWhen(people, await startChain(people, 3), hasEnded);

    assert.equal(ended.status, 'success', ended.error_message);
    assert.ok(ended.node_runs.every((row: Run) => row.exit_code === undefined));
    const metrics = await (await fetch(`${people.server.url}/metrics`)).text();
    const counted = /^http_request_duration_seconds_count\{.*exchange",status="200"\} (\d+)$/m;
    assert.equal(counted.exec(metrics)?.[1], '3', 'each report went by an exchange');
  });

  it('reports what its executor could not run', async () => {
    const people = await tenantWithAgent({
      ...noExecutor,
      execute: async () => ({
        status: 'failure',
        exit_code: 3,
        error_class: 'exit_nonzero',
        error_message: 'exit code 3',
      }),
    });

    const ended = await runWhen(people, await startChain(people, 1), hasEnded);

    assert.equal(ended.status, 'failure');
    assert.equal(ended.node_runs[0].exit_code, 3);
  });

  it('stops what is cancelled', async () => {
    const people = await tenantWithAgent(endless);
    const id = await startChain(people, 1);
    await runWhen(people, id, ({ node_runs }) => node_runs[0].status === 'running');

    await people.owner.post(`/workflows/workflow-runs/${id}/cancel`, {});

    assert.equal((await runWhen(people, id, hasEnded)).status, 'cancelled');
  });

  it('gives back what it holds when it is stopped, at no cost to its budget', async () => {
    const people = await tenantWithAgent(endless);
    const id = await startChain(people, 1);
    await runWhen(people, id, ({ node_runs }) => node_runs[0].status === 'running');

    people.agent.stop();

    assert.equal(await people.agent.done, 'stopped');
    const isWaiting = ({ node_runs }: Run) => node_runs[0].status === 'queued';
    await runWhen(people, id, isWaiting);
    const { body } = await people.admin.get('/workers');
    assert.equal(body[0].status, 'offline');
  });
});
