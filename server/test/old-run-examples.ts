/** Runs of an earlier release, in every state that migration 0070 converts. */
import type { Graph } from '@cogworks/graph/types';
import type { Db } from '../src/db/connection.ts';
import { prepareDefinition } from '../src/resources/node_definitions/node_definitions.ts';
import type { NewNodeDefinition } from '../src/resources/node_definitions/schema.ts';
import { type GraphThreads, openGraphThreads } from '../src/resources/workflows/graph-bodies.ts';
import { textOf } from '../src/resources/workflows/graph-work.ts';
import { addVersion } from '../src/resources/workflows/queries.ts';
import type { Client } from './cast.ts';
import { addOldRun, type OldNodeRun, type OldRun } from './old-runs.ts';
import { gatherGraph } from './runs.ts';
import type { ScriptedWorker } from './worker.ts';
import { registerNode } from './workflows.ts';

/** The ids of the runs, by what is special about each. */
export const ids = {
  ...{ ended: 1001, restarted: 1002, cancelled: 1003, leftOnly: 1004, rightOnly: 1005 },
  ...{ underWay: 1006, stopping: 1007, aborting: 1008, fanOut: 1009 },
};

const finished_at = '2026-01-02T03:05:00.000Z';
const success = { status: 'success', finished_at };
const cancelled = { status: 'cancelled', finished_at };
const failure = {
  ...{ status: 'failure', finished_at, exit_code: 3 },
  ...{ error_class: 'exit_nonzero', error_message: 'exit code 3' },
};

/** Adds the runs, of three graphs, over three files. */
export async function addExamples(
  db: Db,
  owner: Client,
  worker: Pick<ScriptedWorker, 'id'>,
  files: number[],
): Promise<void> {
  const { tenant_id, id: started_by } = owner.user;
  // This release's API would use tables and columns that are not there yet.
  const versionOf = async (graph: object) => {
    const [workflow] = await db<{ id: number }[]>`
      insert into workflows (tenant_id, name, created_by)
      values (${tenant_id}, 'Test', ${started_by})
      returning id
    `;
    const text = textOf(graph as Graph);
    return (await addVersion(db, tenant_id, workflow?.id ?? 0, started_by, text)).id;
  };
  const threads = openGraphThreads();
  const maker = registering(db, threads, owner);
  const gather = await versionOf(await gatherGraph(maker, 0.3, 'continue'));
  const fanOut = await versionOf(await fanOutGraph(maker));
  const twoInputs = await versionOf(await twoInputGraph(maker));
  await threads.close();

  const runs = [...endedRuns(gather, twoInputs, files), ...runsUnderWay(gather, fanOut, files)];
  const [object] = await db<{ id: number }[]>`select min(object_id) as id from cogs`;
  const place = { tenant_id, started_by, worker_id: worker.id, object_id: object?.id ?? 0 };
  for (const one of runs) await addOldRun(db, place, one);
}

/** Registers definitions without a request: who asks is read from columns of later releases. */
const registering = (db: Db, threads: GraphThreads, owner: Client): Client => ({
  ...owner,
  post: async (_path, body) => {
    const { id: user_id, ...user } = owner.user;
    const register = await prepareDefinition(
      threads,
      { ...user, user_id },
      body as NewNodeDefinition,
    );
    const way = { isAlone: true, hasTurn: true };
    return { status: 201, body: await register(db, way), headers: new Headers() };
  },
});

async function fanOutGraph(owner: Client) {
  const many = [{ name: 'out', glob: '*', cardinality: 'many' }];
  const split = await registerNode(owner, { outputs: many });
  const part = await registerNode(owner);
  const collect = await registerNode(owner, { inputs: [{ name: 'all', cardinality: 'many' }] });
  const edge = (from: object, node: string, port: string) => ({ from, to: { node, port } });
  return {
    nodes: [
      { key: 'split', node_definition_id: split },
      { key: 'part', node_definition_id: part, map: true },
      { key: 'collect', node_definition_id: collect },
    ],
    edges: [
      edge({ input: 'file' }, 'split', 'in'),
      edge({ node: 'split', port: 'out' }, 'part', 'in'),
      edge({ node: 'part', port: 'out' }, 'collect', 'all'),
    ],
    inputs: [{ name: 'file' }],
    variables: [],
  };
}

async function twoInputGraph(owner: Client) {
  const node = await registerNode(owner);
  const keys = ['left', 'right'];
  return {
    nodes: keys.map((key) => ({ key, node_definition_id: node, map: true })),
    edges: keys.map((key) => ({ from: { input: key }, to: { node: key, port: 'in' } })),
    inputs: keys.map((name, at) => ({
      name,
      media_types: at === 0 ? ['text/plain'] : ['text/csv'],
    })),
    variables: [],
  };
}

const lanes = (node_key: string, of: (Omit<OldNodeRun, 'node_key'> | undefined)[]): OldNodeRun[] =>
  of.flatMap((row, lane) => (row ? [{ node_key, lane, ...row } as OldNodeRun] : []));

/** The node runs of a node that runs once for each file. */
const each = (files: number[], ...of: Omit<OldNodeRun, 'node_key'>[]) =>
  lanes('each', of).map((row) => ({ cog_id: files[row.lane ?? 0], ...row }));

function endedRuns(gather: number, twoInputs: number, files: number[]): OldRun[] {
  const [a, b, c] = files as [number, number, number];
  const done = { progress_percentage: 100, finished_at };
  const tried = [
    { ...failure, id: 12, log: 'the first try' },
    { ...failure, id: 13, log: 'the second try' },
  ];
  return [
    {
      ...{
        ...done,
        id: ids.ended,
        version_id: gather,
        status: 'partial_success',
        files: { files },
      },
      ...{ error_message: 'each: exit code 3', superseded_by_run_id: null },
      nodes: [
        { key: 'each', expected: 3, success: 1, failure: 1, skipped_by_condition: 1 },
        { key: 'gather', expected: 1, success: 1 },
      ],
      node_runs: [
        // Ids that are neither consecutive nor in the order of the lanes.
        ...each(
          files,
          { ...success, id: 110, attempts: [{ ...success, id: 11 }], outputs: ['a.out'] },
          { ...failure, id: 109, attempts: tried },
          { id: 105, status: 'skipped', skip_reason: 'condition_false', finished_at },
        ),
        {
          ...{ ...success, id: 107, node_key: 'gather', outputs: ['all.out'] },
          attempts: [{ ...success, id: 14, log: 'gathered' }],
        },
      ],
    },
    {
      ...{ ...done, id: ids.restarted, version_id: gather, status: 'failure', files: { files } },
      ...{ restarted_from_run_id: ids.ended, restart_mode: 'failed', restart_touched: [] },
      nodes: [
        { key: 'each', expected: 3, success: 2, failure: 1, reused: 1 },
        { key: 'gather', expected: 1, failure: 1 },
      ],
      node_runs: [
        ...each(
          files,
          { ...success, id: 123, reused_from_node_run_id: 110, outputs: ['a.out'] },
          { ...failure, id: 122, attempts: [{ ...failure, id: 15 }] },
          { ...success, id: 121, attempts: [{ ...success, id: 16 }], outputs: ['c.out'] },
        ),
        { ...failure, id: 124, node_key: 'gather', attempts: [{ ...failure, id: 17 }] },
      ],
    },
    {
      ...{ ...done, id: ids.cancelled, version_id: gather, status: 'cancelled', files: { files } },
      ...{ cancel_requested_at: finished_at, cancel_reason: 'not needed' },
      nodes: [
        { key: 'each', expected: 3, success: 1, cancelled: 2 },
        { key: 'gather', expected: 1, cancelled: 1 },
      ],
      node_runs: [
        ...each(
          files,
          { ...success, id: 131, attempts: [{ ...success, id: 18 }], outputs: ['a.out'] },
          { ...cancelled, id: 132, attempts: [{ ...cancelled, id: 19 }] },
          { ...cancelled, id: 133 },
        ),
        { ...cancelled, id: 134, node_key: 'gather' },
      ],
    },
    {
      ...{ ...done, id: ids.leftOnly, version_id: twoInputs, status: 'success' },
      files: { left: [a, b] },
      nodes: [
        { key: 'left', expected: 2, success: 2 },
        { key: 'right', expected: 0 },
      ],
      node_runs: lanes('left', [
        { ...success, id: 141, cog_id: a },
        { ...success, id: 142, cog_id: b },
      ]),
    },
    {
      ...{ ...done, id: ids.rightOnly, version_id: twoInputs, status: 'success' },
      files: { right: [c] },
      nodes: [
        { key: 'left', expected: 0 },
        { key: 'right', expected: 1, success: 1 },
      ],
      node_runs: lanes('right', [{ ...success, id: 143, cog_id: c }]),
    },
  ];
}

/** The live attempt of a node run has the same id. */
function runsUnderWay(gather: number, fanOut: number, files: number[]): OldRun[] {
  const running = (id: number, over = {}) => ({
    ...{ id, status: 'running' },
    attempts: [{ id, status: 'running', ...over }],
  });
  const stop = { cancel_requested_at: finished_at };
  const begun = { version_id: gather, status: 'running', files: { files } };
  return [
    {
      ...{ ...begun, id: ids.underWay, progress_percentage: 20 },
      nodes: [
        { key: 'each', expected: 3, running: 1, success: 1 },
        { key: 'gather', expected: 1 },
      ],
      node_runs: [
        ...each(
          files,
          { ...success, id: 33, attempts: [{ ...success, id: 33 }], outputs: ['a.out'] },
          running(32),
          {
            ...{ id: 31, status: 'queued', memory_mb: 96, not_before: '2100-01-01T00:00:00Z' },
            attempts: [{ id: 31, status: 'failure', error_class: 'oom', finished_at }],
          },
        ),
        // An id far beyond those of all begun node runs.
        { id: 3_000_000, node_key: 'gather', status: 'pending', queued_at: null },
      ],
    },
    {
      ...{ ...begun, ...stop, id: ids.stopping },
      nodes: [
        { key: 'each', expected: 3, running: 1, cancelled: 2 },
        { key: 'gather', expected: 1, cancelled: 1 },
      ],
      node_runs: [
        ...each(
          files,
          running(40, stop),
          { ...cancelled, id: 41 },
          { ...cancelled, id: 42, attempts: [{ ...failure, id: 42 }] },
        ),
        { ...cancelled, id: 43, node_key: 'gather' },
      ],
    },
    {
      ...{ ...begun, id: ids.aborting, on_failure: 'abort' },
      nodes: [
        { key: 'each', expected: 3, running: 1, failure: 1, skipped_upstream: 1 },
        { key: 'gather', expected: 1, skipped_upstream: 1 },
      ],
      node_runs: [
        ...each(
          files,
          { ...failure, id: 50, attempts: [{ ...failure, id: 50 }] },
          running(51, stop),
          {
            ...{ id: 52, status: 'skipped', skip_reason: 'run_aborted', finished_at },
          },
        ),
        {
          ...{ id: 53, node_key: 'gather', status: 'skipped', skip_reason: 'run_aborted' },
          finished_at,
        },
      ],
    },
    {
      ...{
        id: ids.fanOut,
        version_id: fanOut,
        status: 'running',
        files: { file: files.slice(0, 1) },
      },
      nodes: [
        { key: 'split', expected: 1, running: 1 },
        { key: 'part', expected: null },
        { key: 'collect', expected: 1 },
      ],
      node_runs: [
        { ...running(60), node_key: 'split' },
        { id: 61, node_key: 'collect', status: 'pending', queued_at: null },
      ],
    },
  ];
}
