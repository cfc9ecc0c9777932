/** A run over many files on one worker: all files, in order, with a progress that only rises. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { endOf, type Installation, openInstallation } from '../installation.ts';
import { until } from '../until.ts';
import { aNode, obeys, run, say, shell, writes } from './obedient.ts';
import { assertNoOrphans } from './objects.ts';

const opened = await openInstallation();
const skip = typeof opened === 'string' && opened;
const installation = opened as Installation;

after(() => skip || installation.close());

const count = 60;
const small = { cpu: 0.25, memory_mb: 32, gpu: 0, disk_mb: 16 };

/** A mapped node copies each file; another joins all copies in order. */
async function copyAndJoin() {
  const command = [
    ...shell('cp "$1" "/data/outputs/$2.txt"'),
    ...['sh', '{{inputs.in.path}}', '{{file.stem}}'],
  ];
  const copy = await aNode(installation, '', { command, resources: small });
  const join = await aNode(installation, 'cat /data/inputs/in/* > /data/outputs/joined.txt', {
    inputs: [{ name: 'in', cardinality: 'many' }],
    resources: small,
  });
  return {
    nodes: [
      { key: 'copy', node_definition_id: copy, map: true },
      { key: 'join', node_definition_id: join },
    ],
    edges: [
      { from: { input: 'files' }, to: { node: 'copy', port: 'in' } },
      { from: { node: 'copy', port: 'out' }, to: { node: 'join', port: 'in' } },
    ],
    inputs: [{ name: 'files' }],
    variables: [],
  };
}

describe('a run over sixty files', { skip }, () => {
  it('ends with every result in order, and its progress never falls', async () => {
    const { admin, db } = installation;
    const names = Array.from({ length: count }, (_, index) => String(index).padStart(2, '0'));
    const cogIds: number[] = [];
    for (const name of names) {
      cogIds.push((await admin.upload(`${name}.dat`, `${name}\n`)).body.id);
    }

    const runId = await run(installation, await copyAndJoin(), cogIds);
    const path = `/workflows/workflow-runs/${runId}`;
    const seen: number[] = [];
    const ended = await until('the run has ended', async () => {
      // In this order, so that the progress is read before the end is seen.
      const { body: progress } = await admin.get(`${path}/progress`);
      seen.push(progress.progress_percentage);
      assert.equal(progress.total_nodes, 2);
      const { body } = await admin.get(path);
      return ['queued', 'running'].includes(body.status) ? null : body;
    });

    assert.equal(ended.status, 'success', ended.error_message);
    const last = (await admin.get(`${path}/progress`)).body;
    assert.deepEqual(last, {
      progress_percentage: 100,
      completed_nodes: 2,
      total_nodes: 2,
      current_node: null,
    });
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
    assert.ok(seen.slice(0, -1).every((percentage) => percentage < 100));
    assert.ok(new Set(seen).size > 5, `${new Set(seen).size} steps`);

    const outputs = await db<{ node_key: string; name: string }[]>`
      select node_key, name from node_run_outputs
      join node_runs on node_runs.id = node_run_id
      where node_run_outputs.run_id = ${runId}
      order by node_key, shard_index
    `;
    assert.deepEqual(
      outputs.map(({ name }) => name),
      [...names.map((name) => `${name}.txt`), 'joined.txt'],
    );
    const joined = ended.run_files.find((file: { node_key?: string }) => file.node_key === 'join');
    const { body } = await admin.get(`/cogs/${joined.cog_id}/download`);
    assert.equal(body, names.map((name) => `${name}\n`).join(''));

    await assertNoOrphans(installation);
  });
});

describe('work that needs the whole worker', { skip }, () => {
  it('starts as soon as there is room', async () => {
    const { admin, db } = installation;
    const [worker] = (await admin.get('/workers')).body;
    const little = await aNode(installation, obeys, { resources: small });
    const whole = await aNode(installation, writes('whole'), {
      inputs: [{ name: 'in', cardinality: 'many' }],
      resources: { ...small, cpu: worker.capacity.cpu },
    });
    const runId = await run(installation, {
      nodes: [
        { key: 'one', node_definition_id: little },
        { key: 'other', node_definition_id: little },
        { key: 'whole', node_definition_id: whole },
      ],
      edges: ['one', 'other'].map((node) => ({
        from: { node, port: 'out' },
        to: { node: 'whole', port: 'in' },
      })),
      inputs: [],
      variables: [],
    });
    const both = await until('both run', async () => {
      const rows = await db<{ id: number }[]>`
        select id from attempts where run_id = ${runId} and status = 'running'
      `;
      return rows.length === 2 && rows;
    });

    for (const { id } of both) await say(installation, id, writes('little'));
    const ended = await endOf(installation, runId);

    assert.equal(ended.status, 'success', ended.error_message);
    const [times] = await db<{ idle: number }[]>`
      select extract(epoch from max(started_at) - max(finished_at) filter (where node_key <> 'whole'))::float8 as idle
      from node_runs where run_id = ${runId}
    `;
    // The worker's next question would come after up to 25 seconds.
    assert.ok(times && times.idle < 12, `the worker stood still for ${times?.idle} s`);
  });
});
