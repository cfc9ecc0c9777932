/** Every operation of the contract, and one tenant's ids for their paths. */
import { type Cast, type Client, cast } from '../cast.ts';
import { scriptedWorker } from '../worker.ts';
import { mappedGraph, registerNode, storeCredentials } from '../workflows.ts';

export type Operation = {
  id: string;
  method: string;
  path: string;
  security: 'user' | 'worker' | 'public';
  /** Top-level fields of a JSON body that are required. */
  hasJsonBody: boolean;
  /** The content types of its body. */
  types: string[];
  isList: boolean;
};

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
type Json = any;

export async function operationsOf(fetchDocument: () => Promise<Json>): Promise<Operation[]> {
  const document = await fetchDocument();
  return Object.entries(document.paths as Json).flatMap(([path, operations]) =>
    Object.entries(operations as Json).map(([method, operation]: [string, Json]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      security: securityOf(operation.security),
      hasJsonBody: operation.requestBody?.content?.['application/json'] !== undefined,
      types: Object.keys(operation.requestBody?.content ?? {}),
      isList: (operation.parameters ?? []).some((parameter: Json) => parameter.name === 'cursor'),
    })),
  );
}

export function securityOf(security: Json): Operation['security'] {
  if (security === undefined) return 'user';
  if (security.some((one: Json) => 'worker' in one)) return 'worker';
  return 'public';
}

export type Stage = Cast & { idFor(operation: Operation, parameter: string): string };

/** A tenant with one of everything. */
export async function seeded(): Promise<Stage> {
  const people = await cast();
  const { admin, owner, server } = people;
  await storeCredentials(admin);
  const file = (await owner.upload('law.txt', 'law')).body.id;
  const grant = (
    await owner.post(`/permissions/cogs/${file}`, {
      target_type: 'cog',
      target_id: file,
      user_id: people.viewer.user.id,
      level: 'viewer',
    })
  ).body.permission_id;
  const definition = await registerNode(owner);
  const workflow = (await owner.post('/workflows', { name: 'Law', graph: mappedGraph(definition) }))
    .body;
  const version = workflow.latest_version_id;
  const run = (await owner.post(`/workflows/workflow-versions/${version}/run`, { cog_ids: [file] }))
    .body.workflow_run_id;
  const nodeRun = (await owner.get(`/workflows/workflow-runs/${run}`)).body.node_runs[0].id;
  const secret = (await admin.get('/secrets')).body[0].id;
  const announced = { name: 'large.bin', file_size: 1 };
  const upload = (await owner.post('/cogs/uploads/initiate', announced)).body.upload_id;
  const key = (await owner.post('/api-keys', { description: 'law' })).body.id;
  const url = (await owner.post(`/cogs/${file}/download-url`, {})).body;
  const trigger = (
    await owner.post('/workflows/triggers', {
      ...{ name: 'Law', type: 'schedule', cron: '0 0 1 1 *', workflow_version_id: version },
    })
  ).body.id;
  const worker = await scriptedWorker(server, owner.user.tenant_id);
  const [order] = await worker.acquire();

  const ids: [RegExp, Record<string, number | string>][] = [
    [/^\/api-keys/, { id: key }],
    [/^\/cogs\/download-urls/, { id: url.id }],
    [/^\/d\//, { token: url.url.slice(url.url.lastIndexOf('/') + 1) }],
    [/^\/(cogs|permissions\/cogs)/, { id: file, version: 1, upload_id: upload }],
    [/^\/permissions/, { permission_id: grant }],
    [/^\/node_definitions/, { id: definition }],
    [/^\/secrets/, { id: secret }],
    [/^\/users/, { id: people.viewer.user.id }],
    [/^\/workers/, { id: worker.id, attempt_id: order.attempt_id }],
    [/^\/workflows\/triggers/, { id: trigger }],
    [/^\/workflows/, { id: workflow.id, version_id: version, run_id: run, node_run_id: nodeRun }],
  ];
  return {
    ...people,
    idFor: ({ path }, parameter) => {
      const id = ids.find(([prefix]) => prefix.test(path))?.[1][parameter];
      if (id === undefined)
        throw new Error(`The laws know no ${parameter} for ${path}: add one to seeded().`);
      return String(id);
    },
  };
}

/** The path with every parameter filled in by `idFor`. */
export const filled = (operation: Operation, idFor: (parameter: string) => string) =>
  operation.path.replace(/\{(\w+)\}/g, (_, parameter: string) => idFor(parameter));

/** Valid bodies, so that the check of rights is reached. */
export const bodyOf: Record<string, (stage: Stage) => unknown> = {
  changeCog: () => ({ name: 'renamed' }),
  restoreCog: () => ({}),
  transferCog: (stage) => ({ user_id: stage.editor.user.id }),
  copyCog: (stage) => ({
    parent_id: Number(stage.idFor({ path: '/cogs' } as Operation, 'id')),
  }),
  storeContent: () => {
    const form = new FormData();
    form.append('file', new Blob(['new content']), 'file');
    return form;
  },
  createPartUrls: () => ({ part_numbers: [1] }),
  changePermission: () => ({ level: 'viewer' }),
  shareCog: (stage) => ({
    target_type: 'cog',
    target_id: Number(stage.idFor({ path: '/cogs' } as Operation, 'id')),
    user_id: stage.stranger.user.id,
    level: 'viewer',
  }),
  changeTrigger: () => ({ name: 'renamed' }),
  changeSecret: () => ({ value: { server: 'r.example', username: 'u', password: 'p' } }),
  changeUser: () => ({ role: 'member' }),
  changeWorker: () => ({ name: 'renamed' }),
  rotateApiKey: () => ({}),
  changeWorkflow: () => ({ name: 'renamed' }),
  createWorkflowVersion: () => ({}),
  changeWorkflowVersion: () => ({ graph: { nodes: [] } }),
  createDownloadUrl: () => ({}),
  startRun: () => ({ cog_ids: [] }),
  cancelRun: () => ({}),
  restartRun: () => ({}),
};

export const send = (
  client: Pick<Client, 'fetch'>,
  operation: Operation,
  path: string,
  body?: unknown,
) =>
  client.fetch(path, {
    method: operation.method,
    ...(body === undefined || body instanceof FormData
      ? { ...(body ? { body } : {}) }
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
