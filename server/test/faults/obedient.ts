/**
 * Workflows whose containers are controlled by the test: each waits for a command that the test
 * writes into its folder, and runs it. So a test knows the state of a container without sleeping.
 */
import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installation } from '../installation.ts';
import { until } from '../until.ts';

/** Waits for the test's command. Its file is not an output; those are `*.txt`. */
export const obeys =
  'while [ ! -e /data/outputs/.word ]; do sleep 0.02; done; . /data/outputs/.word';

/** A command that writes this text as the output. */
export const writes = (text: string) => `echo ${text} > /data/outputs/out.txt`;

export const shell = (script: string) => ['/bin/sh', '-c', script];

/** Registers a node of the small image: may take a file `in`, leaves one `out`. @returns its id. */
export async function aNode(
  { admin, image }: Installation,
  script: string,
  over: object = {},
): Promise<number> {
  const { status, body } = await admin.post('/node_definitions', {
    name: `node-${randomUUID()}`,
    version: '1',
    image,
    command: shell(script),
    inputs: [{ name: 'in', cardinality: 'optional' }],
    outputs: [{ name: 'out', glob: '*.txt', cardinality: 'one' }],
    resources: { cpu: 0.5, memory_mb: 64, gpu: 0, disk_mb: 64 },
    timeout_seconds: 120,
    ...over,
  });
  if (status !== 201) throw new Error(`not registered: ${JSON.stringify(body)}`);
  return body.id;
}

/** A workflow of one node without inputs. */
export const alone = (definitionId: number, over: object = {}) => ({
  nodes: [{ key: 'only', node_definition_id: definitionId, ...over }],
  edges: [],
  inputs: [],
  variables: [],
});

/** Starts a graph as a new workflow. @returns the id of the run. */
export async function run(
  { admin }: Installation,
  graph: object,
  cogIds: number[] = [],
  over: object = {},
): Promise<number> {
  const workflow = await admin.post('/workflows', { name: `Fault ${++workflows}`, graph });
  const versionId = workflow.body.latest_version_id;
  const started = await admin.post(`/workflows/workflow-versions/${versionId}/run`, {
    cog_ids: cogIds,
    ...over,
  });
  if (started.status !== 202) throw new Error(`not started: ${JSON.stringify(started.body)}`);
  return started.body.workflow_run_id;
}
let workflows = 0;

export type Attempt = { id: number; node_run_id: number; status: string };

/** The newest attempt of a run once its container runs; after `before`, where one is given. */
export function runningAttempt(
  { db }: Pick<Installation, 'db'>,
  runId: number,
  before = 0,
): Promise<Attempt> {
  return until(`a container of run ${runId} runs`, async () => {
    const [attempt] = await db<Attempt[]>`
      select id, node_run_id, status
      from attempts
      where run_id = ${runId} and status = 'running' and id > ${before}
      order by id desc
      limit 1
    `;
    return attempt;
  });
}

/** Sends a container its command, a line of shell. `worker` is the folder of its worker. */
export async function say(
  { dir }: Pick<Installation, 'dir'>,
  attemptId: number,
  word: string,
  worker = 'worker',
): Promise<void> {
  const outputs = join(dir, worker, 'attempts', String(attemptId), 'outputs');
  // Created under another name and renamed: the container must not read a partial file.
  await writeFile(join(outputs, '.word.new'), `${word}\n`);
  await rename(join(outputs, '.word.new'), join(outputs, '.word'));
}
