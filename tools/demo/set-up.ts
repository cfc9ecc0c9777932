/** Prepares a tenant for the demo. Each step is idempotent: existing parts are used. */

import { createHash, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cli } from '@cogworks/cli/command';
import { Problem } from '@cogworks/cli/problem';
import { findLocal, sendFiles } from '@cogworks/cli/sending';
import type { Done } from '@cogworks/cli/terminal';
import { logicText } from '@cogworks/graph/hash';
import type { Client } from '@cogworks/sdk/client';
import type { Cog, Graph, NewNodeDefinition, Workflow } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { allRows } from '@cogworks/sdk/pages';
import type { Registry } from '../containers/registry.ts';
import type { NodeKey } from './nodes/definitions.ts';
import { workflowName } from './workflow.ts';

const secretName = 'DEMO_REGISTRY';

const isTaken = (error: unknown) => error instanceof ApiError && error.status === 409;

/** The worker of a server that has just started is online a moment later. */
export async function waitForWorker(client: Client, timeout_ms = 20_000): Promise<Done<void>> {
  const deadline = Date.now() + timeout_ms;
  for (;;) {
    const workers = await client.listWorkers();
    const online = workers.filter((worker) => worker.status === 'online');
    if (online.length > 0) {
      const cpu = online.reduce((sum, { capacity }) => sum + capacity.cpu, 0);
      const names = online.map(({ name }) => name).join(', ');
      return { words: `${names}: ${cpu} processors`, value: undefined };
    }
    if (Date.now() > deadline) {
      throw new Problem(
        'The server has no worker online, so nothing would run. Its log says why the local one did not start.',
      );
    }
    await sleep(1000);
  }
}

export async function storeCredentials(
  client: Client,
  { server, credentials }: Pick<Registry, 'server' | 'credentials'>,
): Promise<Done<void>> {
  const value = { server, ...credentials };
  try {
    await client.createSecret({ body: { name: secretName, kind: 'registry', value } });
    return { words: `stored as secret ${secretName}`, value: undefined };
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
  // Left by an earlier demo, whose registry may have had another password.
  for await (const secret of allRows(client, 'listSecrets', {})) {
    if (secret.name !== secretName) continue;
    const { version } = await client.changeSecret({ path: { id: secret.id }, body: { value } });
    return { words: `secret ${secretName} replaced (value ${version})`, value: undefined };
  }
  throw new Problem(`There is a secret ${secretName}, but it cannot be seen.`);
}

export async function registerNodes(
  client: Client,
  definitions: Record<NodeKey, NewNodeDefinition>,
): Promise<Done<Record<NodeKey, number>>> {
  const known = new Map<string, number>();
  for await (const row of allRows(client, 'listNodeDefinitions', { query: { category: 'demo' } })) {
    known.set(`${row.name} ${row.version}`, row.id);
  }
  let isNew = 0;
  const ids: [string, number][] = [];
  for (const [key, body] of Object.entries(definitions)) {
    let id = known.get(`${body.name} ${body.version}`);
    if (id === undefined) {
      id = (await client.registerNodeDefinition({ body, idempotencyKey: randomUUID() })).id;
      isNew += 1;
    }
    ids.push([key, id]);
  }
  const there = ids.length - isNew;
  const names = ids.map(([key]) => key).join(', ');
  const words = [isNew > 0 && `${isNew} registered`, there > 0 && `${there} there already`];
  return {
    words: `${names} (${words.filter(Boolean).join(', ')})`,
    value: Object.fromEntries(ids) as Record<NodeKey, number>,
  };
}

/** @returns the id of a published version with this graph. */
export async function publishWorkflow(client: Client, graph: Graph): Promise<Done<number>> {
  const workflow = (await findWorkflow(client)) ?? (await createWorkflow(client, graph));
  const latest = workflow.latest_version_id;
  const current = latest && (await client.getWorkflowVersion({ path: { version_id: latest } }));
  const hash = createHash('sha256').update(logicText(graph)).digest('hex');
  const version =
    current && current.logic_hash === hash && current.state !== 'archived'
      ? current
      : await client.createWorkflowVersion({ path: { id: workflow.id }, body: { graph } });
  if (version.state === 'draft') {
    await client.publishWorkflowVersion({ path: { version_id: version.id } });
  }
  const words = `“${workflowName}”, version ${version.version_number}, ${version.state === 'draft' ? 'published' : 'published earlier'}`;
  return { words, value: version.id };
}

async function findWorkflow(client: Client): Promise<Workflow | undefined> {
  for await (const row of allRows(client, 'listWorkflows', {})) {
    if (row.name === workflowName) return row;
  }
  return undefined;
}

const createWorkflow = (client: Client, graph: Graph) =>
  client.createWorkflow({
    body: {
      name: workflowName,
      description: 'Words of documents, thumbnails of pictures, and one report of all.',
      graph,
    },
    idempotencyKey: randomUUID(),
  });

const inputFolder = join(import.meta.dirname, 'input');

/** Puts the files into a folder of their own. */
export async function uploadInputs(cli: Cli): Promise<Cog[]> {
  const { client, signal } = cli;
  const name = `Demo ${new Date().toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.')}`;
  const folder = await client.createFolder({ body: { name, cog_type: 'asset_folder' }, signal });
  const files = await findLocal(inputFolder, (await readdir(inputFolder)).sort());
  const onFault = (error: unknown) => {
    throw error;
  };
  return sendFiles(cli, files, { parent_id: folder.id, onFault });
}
