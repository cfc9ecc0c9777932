/**
 * A disk that fills up during work: clear refusals, nothing lost, and recovery without
 * intervention.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { client } from '../cast.ts';
import { ended, newApiKey, serverEnvironment, spawnServer } from '../installation.ts';
import { until } from '../until.ts';
import { killAll, postmasterOf } from './processes.ts';
import { mountSmallDisk, runInNamespace, type SmallDisk } from './small-disk.ts';

const megabyte = 1024 * 1024;
const reserve_mb = 16;

const dir = await mkdtemp(join(tmpdir(), 'cogworks-full-'));
const mounted = mountSmallDisk(dir, 200);
const skip = typeof mounted === 'string' && mounted;
/** If only root may mount, these tests run again in a namespace in which we are root. */
const again = skip ? runInNamespace(import.meta.filename) : undefined;
const disk = mounted as SmallDisk;

const lines: string[] = [];
let server: ChildProcess;
let url = '';
let admin: ReturnType<typeof client>;
let worker: ReturnType<typeof client>;
let workerId = 0;

before(async () => {
  if (skip) return;
  const env = {
    ...serverEnvironment(dir),
    PORT: '0',
    LOCAL_WORKER: 'off',
    DISK_RESERVE_MB: String(reserve_mb),
  };
  server = spawnServer(env, lines);
  url = await until('the server is ready', () => {
    if (server.exitCode !== null) throw new Error(lines.join('\n'));
    return /ready at (\S+)/.exec(lines.join('\n'))?.[1];
  });
  const { body } = await client(url).post('/api-keys/token', { api_key: await newApiKey(env) });
  admin = client(url, body.access_token);
  const enrolment = await admin.post('/workers/enrollment-tokens', {});
  const enrolled = await client(url).post('/workers', {
    enrollment_token: enrolment.body.enrollment_token,
    name: 'asks',
    capacity: { cpu: 4, memory_mb: 4096, gpu: 0, disk_mb: 4096 },
  });
  workerId = enrolled.body.id;
  worker = client(url, enrolled.body.worker_token);
  await worker.post(`/workers/${workerId}/heartbeat`, { attempts: [] });
});

after(async () => {
  if (!skip) {
    await ended(server, 'SIGKILL');
    await killAll(dir);
    disk.unmount();
  }
  await rm(dir, { recursive: true, force: true });
});

const acquire = () =>
  worker.post(`/workers/${workerId}/acquire`, {
    free: { cpu: 4, memory_mb: 4096, gpu: 0, disk_mb: 4096 },
    max: 1,
  });

/** Starts a run of one node. @returns its id. */
async function startRun() {
  const registry = { server: '127.0.0.1:1', username: 'u', password: 'p' };
  await admin.post('/secrets', { name: 'REGISTRY', kind: 'registry', value: registry });
  const definition = await admin.post('/node_definitions', {
    name: 'waits',
    version: '1',
    image: '127.0.0.1:1/none:1',
    command: ['true'],
    outputs: [{ name: 'out', glob: '*', cardinality: 'many' }],
  });
  const node = { key: 'only', node_definition_id: definition.body.id };
  const graph = { nodes: [node], edges: [], inputs: [], variables: [] };
  const workflow = await admin.post('/workflows', { name: 'Waits', graph });
  const version = workflow.body.latest_version_id;
  const started = await admin.post(`/workflows/workflow-versions/${version}/run`, { cog_ids: [] });
  assert.equal(started.status, 202, JSON.stringify(started.body));
  return started.body.workflow_run_id as number;
}

const reasonOf = async (runId: number) =>
  (await admin.get(`/workflows/workflow-runs/${runId}`)).body.node_runs[0].queue_reason;

const isReady = async () => (await client(url).get('/readyz')).status === 200;

describe('as an ordinary user', { skip: !again && 'The tests below run here.' }, () => {
  it('all of this passes in a namespace', { skip: again && !again.ran && again.output }, () => {
    assert.ok(again?.passed, again?.output);
  });
});

describe('a disk without room but the reserve', { skip }, () => {
  it('refuses uploads with 507, keeps work waiting with a reason, and goes on by itself', async () => {
    const kept = await admin.upload('kept.txt', 'kept');
    assert.equal(kept.status, 201);
    const runId = await startRun();
    await disk.fill((reserve_mb - 4) * megabyte);

    const refused = await admin.upload('refused.txt', 'refused');
    const order = await acquire();

    assert.deepEqual([refused.status, refused.body.code], [507, 'storage_full']);
    assert.match(refused.body.detail, /^The server has no room left for this\./);
    assert.equal(order.status, 204);
    assert.match(await reasonOf(runId), /disk is full/);
    // Everything else works, and stored files can be read.
    assert.equal((await admin.get(`/cogs/${kept.body.id}/download`)).body, 'kept');
    assert.equal(
      (await admin.post('/cogs/', { name: 'Folder', cog_type: 'asset_folder' })).status,
      201,
    );
    const metrics = await (await fetch(`${url}/metrics`)).text();
    assert.match(metrics, /^storage_room_bytes -\d+$/m);
    await until('it is told', () => lines.some((line) => /the disk is full/.test(line)));

    await disk.empty();

    assert.equal((await admin.upload('refused.txt', 'now')).status, 201);
    assert.doesNotMatch(await reasonOf(runId), /disk is full/);
    const [taken] = (await acquire()).body;
    assert.equal(taken.run_id, runId);

    // Outputs of a worker are refused in the same way, and accepted afterwards.
    const uploads = await worker.post(`/workers/${workerId}/attempts/${taken.attempt_id}/uploads`, {
      lease_token: taken.lease_token,
      files: [{ size_bytes: 6 }],
    });
    const put = () => fetch(uploads.body[0].url, { method: 'PUT', body: 'result' });
    await disk.fill((reserve_mb - 4) * megabyte);
    assert.equal((await put()).status, 507);
    await disk.empty();
    assert.equal((await put()).status, 200);
  });

  it('is noticed before the first byte that cannot fit, and on the way', async () => {
    await disk.fill((reserve_mb + 24) * megabyte);

    // With an announced size it is refused at once; otherwise when the space is used up.
    const announced = await admin.upload('large.bin', new Uint8Array(40 * megabyte));
    const edge = 'edge-of-the-parts';
    async function* body() {
      yield Buffer.from(
        `--${edge}\r\ncontent-disposition: form-data; name="file"; filename="long.bin"\r\n\r\n`,
      );
      for (let sent = 0; sent < 60; sent += 1) yield Buffer.alloc(megabyte);
      yield Buffer.from(`\r\n--${edge}--\r\n`);
    }
    const onTheWay = await admin.fetch('/cogs/upload-file', {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${edge}` },
      body: body() as unknown as ReadableStream,
      duplex: 'half',
    } as RequestInit);

    assert.equal(announced.status, 507);
    assert.equal(onTheWay.status, 507);
    assert.equal(((await onTheWay.json()) as { code: string }).code, 'storage_full');
    const { body: list } = await admin.get('/cogs/?limit=100');
    assert.ok(!list.some((cog: { name: string }) => /large|long/.test(cog.name)));
    await disk.empty();
  });
});

describe('a disk without any room', { skip }, () => {
  it('ends neither server nor data: writes are refused until there is room again', async () => {
    await disk.fill(0);

    // The database accepts what fits; then it refuses, or exits and cannot start. In every case the
    // answer is a clear error.
    const answers = new Map<number, string>();
    for (let tries = 0; tries < 4000 && ![...answers.keys()].some((s) => s > 500); tries += 1) {
      const { status, body } = await admin.post('/cogs/', {
        name: `${tries} ${'x'.repeat(200)}`,
        cog_type: 'asset_folder',
      });
      answers.set(status, JSON.stringify(body));
    }

    assert.deepEqual(
      [...answers.keys()].filter((status) => ![201, 503, 507].includes(status)),
      [],
      JSON.stringify([...answers]),
    );
    assert.ok(answers.has(503) || answers.has(507));
    assert.equal((await client(url).get('/healthz')).status, 200);
    await disk.empty();
    await until('it is ready again', isReady);
    assert.equal((await admin.upload('after.txt', 'after')).status, 201);
    assert.equal(server.exitCode, null);
  });

  it('lets the database start again once there is room, however often it ended before', async () => {
    const before = await postmasterOf(dir);
    await disk.fill(0);
    process.kill(before, 'SIGKILL');
    await until('it says that it is not ready', async () => !(await isReady()));
    const answer = await admin.get('/me');
    assert.deepEqual([answer.status, answer.body.code], [503, 'database_away']);
    assert.equal(answer.headers.get('retry-after'), '5');

    await disk.empty();

    await until('it is ready again', isReady);
    assert.notEqual(await postmasterOf(dir), before);
    assert.equal((await admin.get('/me')).status, 200);
    assert.equal(await ended(server, 'SIGTERM'), 0);
  });
});
