/** Prepared runs for tests: a tenant with credentials, and a worker scripted by the test. */
import { type Cast, type Client, cast } from './cast.ts';
import type { TestServer } from './server.ts';
import { type ScriptedWorker, scriptedWorker } from './worker.ts';
import { registerNode, storeCredentials } from './workflows.ts';

export type Stage = Cast & { worker: ScriptedWorker };

/** @param server another server than the file's shared one. */
export async function stage(server?: TestServer): Promise<Stage> {
  const people = await cast(server);
  await storeCredentials(people.admin);
  return { ...people, worker: await scriptedWorker(people.server, people.owner.user.tenant_id) };
}

export async function versionOf(client: Client, graph: unknown): Promise<number> {
  const { body } = await client.post('/workflows', { name: 'Test', graph });
  return body.latest_version_id;
}

export async function filesOf(client: Client, ...names: string[]): Promise<number[]> {
  const answers = await Promise.all(names.map((name) => client.upload(name, `bytes of ${name}`)));
  return answers.map(({ body }) => body.id);
}

/** A folder with that many files, written directly into the table: `000001.txt` and so on. */
export async function folderOfFiles(
  { services: { db } }: TestServer,
  owner: Client,
  count: number,
): Promise<number> {
  const name = `${count} files`;
  const folder = (await owner.post('/cogs', { name, cog_type: 'asset_folder' })).body.id;
  const object = (await owner.upload(`${name}.txt`, 'the same bytes')).body.id;
  // In portions, so that none takes long.
  for (let from = 1; from <= count; from += 10_000)
    await db`
    insert into cogs
      (tenant_id, parent_id, name, cog_type, owner_id, object_id, size_bytes, mime_type, version)
    select tenant_id, ${folder}, to_char(n, 'FM000000') || '.txt', 'file', owner_id, object_id,
           size_bytes, 'text/plain', 1
    from cogs, generate_series(${from}::int, ${Math.min(count, from + 9_999)}::int) as n
    where id = ${object}
  `;
  return folder;
}

export const run = (client: Client, versionId: number, body: Record<string, unknown>) =>
  client.post(`/workflows/workflow-versions/${versionId}/run`, body);

export const look = async (client: Client, id: number) =>
  (await client.get(`/workflows/workflow-runs/${id}`)).body;
export const progress = async (client: Client, id: number) =>
  (await client.get(`/workflows/workflow-runs/${id}/progress`)).body;

/** `each` runs per file, then `gather` over all. */
export async function gatherGraph(
  client: Client,
  ratio?: number,
  on_error: 'fail' | 'continue' = 'fail',
) {
  const each = await registerNode(client);
  const gather = await registerNode(client, { inputs: [{ name: 'all', cardinality: 'many' }] });
  return {
    nodes: [
      { key: 'each', node_definition_id: each, map: true, on_error },
      { key: 'gather', node_definition_id: gather },
    ],
    edges: [
      { from: { input: 'files' }, to: { node: 'each', port: 'in' } },
      {
        from: { node: 'each', port: 'out' },
        to: { node: 'gather', port: 'all' },
        ...(ratio === undefined ? {} : { min_success_ratio: ratio }),
      },
    ],
    inputs: [{ name: 'files' }],
    variables: [],
  };
}
