/**
 * The fields of requests that name something by its id, found in the contract, and for each operation
 * that has some a request which is right in all else.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Client } from '../cast.ts';
import { run, versionOf } from '../runs.ts';
import { confirmation, initiated, sent } from '../uploads.ts';
import { type Order, type ScriptedWorker, scriptedWorker } from '../worker.ts';
import { mappedGraph, registerNode } from '../workflows.ts';
import { type Operation, type Stage, seeded } from './routes.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
type Json = any;

/** Where an id stands: in the query, or in the body by its keys and indexes. */
export type IdField = { in: 'query' | 'body'; path: string[]; isList: boolean };

/** Named like an id, and none. */
const others = new Set(['mapping.cog_ids', 'graph.notes.0.id']);

/** The fields of an operation of the contract whose names end in `id` or `ids`. */
export function idFieldsOf(document: Json, { path, method }: Operation): IdField[] {
  const operation = document.paths[path][method.toLowerCase()];
  const found = new Map<string, IdField>();
  const add = (field: IdField) => found.set(`${field.in} ${field.path.join('.')}`, field);
  for (const { in: place, name } of operation.parameters ?? [])
    if (place === 'query' && isId(name)) add({ in: 'query', path: [name], isList: false });
  for (const { schema } of Object.values<Json>(operation.requestBody?.content ?? {}))
    visit(document, schema, [], (at, one) => {
      const isList = one.type === 'array';
      if (!others.has(at.join('.'))) add({ in: 'body', path: at, isList });
    });
  return [...found.values()];
}

const isId = (name: string) => /(^|_)ids?$/.test(name);

function visit(
  document: Json,
  given: Json,
  path: string[],
  found: (path: string[], schema: Json) => void,
  within: Json[] = [],
): void {
  const schema = given?.$ref
    ? document.components.schemas[given.$ref.split('/').at(-1)]
    : (given ?? {});
  if (within.includes(schema)) return;
  const deeper = [...within, schema];
  for (const one of [schema.anyOf, schema.oneOf, schema.allOf].flat().filter(Boolean))
    visit(document, one, path, found, deeper);
  if (schema.items) visit(document, schema.items, [...path, '0'], found, deeper);
  for (const [name, one] of Object.entries<Json>(schema.properties ?? {})) {
    if (isId(name)) found([...path, name], one);
    visit(document, one, [...path, name], found, deeper);
  }
}

/** A tenant with one of everything, also of what is named in bodies. */
export type Tenant = Stage & {
  of(path: string, parameter?: string): number;
  folder: number;
  published: number;
  /** Of the published workflow. */
  version: number;
  worker: ScriptedWorker;
  order: Order;
  /** A run of the workflow that the paths of requests name. */
  ended: number;
  object: number;
  storageUpload: string;
};

export async function tenant(): Promise<Tenant> {
  const people = await seeded();
  const { owner, server } = people;
  const of = (path: string, parameter = 'id') =>
    Number(people.idFor({ path } as Operation, parameter));
  const folder = await newFolder(owner);
  const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
  const { body } = await owner.post(`/workflows/workflow-versions/${version}/publish`);
  const cog_ids = [of('/cogs')];
  const ended = (await run(owner, of('/workflows', 'version_id'), { cog_ids })).body
    .workflow_run_id;
  await owner.post(`/workflows/workflow-runs/${ended}/cancel`);
  await run(owner, version, { cog_ids });
  const worker = await scriptedWorker(server, owner.user.tenant_id);
  const [order] = await worker.acquire();
  await worker.started(order);
  const [stored] = await worker.upload(order, [output]);
  const [upload] = await server.services.db<{ storage_upload_id: string }[]>`
    select storage_upload_id from uploads where id = ${of('/cogs', 'upload_id')}
  `;
  return {
    ...{ ...people, of, folder, worker, order, ended, version, published: body.workflow_id },
    object: (stored as { object_id: number }).object_id,
    storageUpload: upload?.storage_upload_id ?? '',
  };
}

const output = { port: 'out', name: 'a.txt', text: 'a' };
const newFolder = async (by: Client): Promise<number> =>
  (await by.post('/cogs', { name: randomUUID(), cog_type: 'asset_folder' })).body.id;
const newFile = async (by: Client): Promise<number> =>
  (await by.upload(`${randomUUID()}.txt`, 'x')).body.id;

/** The id that a field of this name takes, of that tenant. */
export const namedBy: Record<string, (there: Tenant) => number | string> = {
  parent_id: ({ folder }) => folder,
  folder_id: ({ folder }) => folder,
  output_parent_id: ({ folder }) => folder,
  cog_id: ({ of }) => of('/cogs'),
  cog_ids: ({ of }) => of('/cogs'),
  target_id: ({ of }) => of('/cogs'),
  upload_id: ({ of }) => of('/cogs', 'upload_id'),
  upload_ids: ({ of }) => of('/cogs', 'upload_id'),
  storage_upload_id: ({ storageUpload }) => storageUpload,
  user_id: ({ editor }) => editor.user.id,
  actor_id: ({ owner }) => owner.user.id,
  successor_id: ({ editor }) => editor.user.id,
  run_as_user_id: ({ admin }) => admin.user.id,
  tenant_id: ({ admin }) => admin.user.tenant_id,
  workflow_id: ({ published }) => published,
  workflow_version_id: ({ version }) => version,
  published_version_id: ({ version }) => version,
  trigger_id: ({ of }) => of('/workflows/triggers'),
  node_definition_id: ({ of }) => of('/node_definitions'),
  attempt_id: ({ order }) => order.attempt_id,
  reuse_from_run_id: ({ ended }) => ended,
  object_id: ({ object }) => object,
};

/** What is sent besides the path of the operation, which names things of the sender. */
export type Request = { path?: string; headers?: Record<string, string>; body: unknown };

type Make = (mine: Tenant, field: string) => Promise<Request> | Request;

const inTrash = async (by: Client) => {
  const id = await newFile(by);
  await by.delete(`/cogs/${id}`);
  return id;
};
const confirming = async (by: Client) => {
  const bytes = new Uint8Array(3);
  const upload = await initiated(by, bytes, { name: randomUUID() });
  return confirmation(upload, bytes.length, await sent(upload, bytes));
};
const graphOf = ({ of }: Tenant) => mappedGraph(of('/node_definitions'));
const schedule = { name: 'New', type: 'schedule', cron: '0 0 1 1 *' };
/** Work that the worker of the tenant has just begun. */
async function newOrder({ admin, worker, version }: Tenant): Promise<Order> {
  const cog_ids = [await newFile(admin)];
  const { workflow_run_id } = (await run(admin, version, { cog_ids })).body;
  const orders = await worker.acquire();
  const order = orders.find(({ run_id }: Order) => run_id === workflow_run_id);
  await worker.started(order);
  return order;
}
const success = ({ object }: Tenant) => ({
  ...{ status: 'success', exit_code: 0 },
  outputs: [
    {
      ...{ port: output.port, name: output.name, object_id: object, size_bytes: 1 },
      checksum_sha256: createHash('sha256').update(output.text).digest('hex'),
    },
  ],
});

/** The ids in them are of the sender. Each is good for one call. */
export const requests: Record<string, Make> = {
  createFolder: ({ folder }) => ({
    body: { name: randomUUID(), cog_type: 'asset_folder', parent_id: folder },
  }),
  confirmUpload: async ({ admin }) => ({ body: await confirming(admin) }),
  confirmUploads: async ({ admin }) => ({ body: { uploads: [await confirming(admin)] } }),
  copyCogs: async ({ admin, folder }) => ({
    body: { cog_ids: [await newFile(admin)], parent_id: folder },
  }),
  deleteCogs: async ({ admin }) => ({ body: { cog_ids: [await newFile(admin)] } }),
  createSelectionUrl: async ({ admin }) => ({ body: { cog_ids: [await newFile(admin)] } }),
  moveCogs: async ({ admin, folder }) => ({
    body: { cog_ids: [await newFile(admin)], parent_id: folder },
  }),
  purgeCogs: async ({ admin }) => ({ body: { cog_ids: [await inTrash(admin)] } }),
  restoreCogs: async ({ admin }) => ({ body: { cog_ids: [await inTrash(admin)] } }),
  uploadFile: ({ folder }) => ({ body: { parent_id: folder } }),
  abortUploads: async ({ admin }) => ({
    body: { upload_ids: [(await confirming(admin)).upload_id] },
  }),
  initiateUploads: ({ folder }) => ({
    body: { parent_id: folder, files: [{ path: `${randomUUID()}/a`, file_size: 1 }] },
  }),
  initiateUpload: async ({ admin, folder }, field) => ({
    body:
      field === 'cog_id'
        ? { cog_id: await newFile(admin), file_size: 1 }
        : { name: randomUUID(), parent_id: folder, file_size: 1 },
  }),
  changeCog: async ({ admin, folder }) => ({
    path: `/cogs/${await newFile(admin)}`,
    body: { parent_id: folder },
  }),
  copyCog: async ({ admin, folder }) => ({
    path: `/cogs/${await newFile(admin)}/copy`,
    body: { parent_id: folder },
  }),
  transferCog: async ({ admin, editor }) => ({
    path: `/cogs/${await newFile(admin)}/transfer`,
    body: { user_id: editor.user.id },
  }),
  shareCog: async ({ admin, editor }) => {
    const target_id = await newFile(admin);
    const body = { target_type: 'cog', target_id, user_id: editor.user.id, level: 'viewer' };
    return { path: `/permissions/cogs/${target_id}`, body };
  },
  changeUser: ({ editor }) => ({ body: { status: 'disabled', successor_id: editor.user.id } }),
  completeAttempt: async (mine) => {
    const { attempt_id, lease_token } = await newOrder(mine);
    return {
      path: `/workers/${mine.worker.id}/attempts/${attempt_id}/complete`,
      body: { lease_token, ...success(mine) },
    };
  },
  exchangeWork: async (mine) => {
    const { attempt_id, lease_token } = await newOrder(mine);
    return {
      path: `/workers/${mine.worker.id}/exchange`,
      body: {
        reports: [{ attempt_id, lease_token, ...success(mine) }],
        ...{ free: { cpu: 0, memory_mb: 0, gpu: 0, disk_mb: 0 }, max: 0 },
      },
    };
  },
  sendHeartbeat: async (mine) => {
    const { attempt_id, lease_token } = await newOrder(mine);
    return {
      path: `/workers/${mine.worker.id}/heartbeat`,
      body: { attempts: [{ attempt_id, lease_token }] },
    };
  },
  createWorkflowTemplate: (mine, field) => ({
    body: {
      ...{ name: 'New', category: 'Law' },
      ...(field === 'workflow_version_id'
        ? { workflow_version_id: mine.version }
        : { graph: graphOf(mine) }),
    },
  }),
  createWorkflow: (mine) => ({ body: { name: 'New', graph: graphOf(mine) } }),
  createWorkflowVersion: async (mine) => {
    const { body } = await mine.admin.post('/workflows', { name: 'New' });
    return { path: `/workflows/${body.id}/versions`, body: { graph: graphOf(mine) } };
  },
  changeWorkflowVersion: async (mine) => {
    const version = await versionOf(mine.admin, graphOf(mine));
    const path = `/workflows/workflow-versions/${version}`;
    const { headers } = await mine.admin.get(path);
    return {
      path,
      headers: { 'if-match': headers.get('etag') ?? '' },
      body: { graph: graphOf(mine) },
    };
  },
  createNotice: ({ published }) => ({
    body: { url: 'https://example.com/', events: ['run.success'], workflow_id: published },
  }),
  changeNotice: ({ published }) => ({ body: { workflow_id: published } }),
  createTrigger: (mine, field) => ({
    body: {
      ...(field === 'folder_id'
        ? { name: 'New', type: 'folder', folder_id: mine.folder }
        : schedule),
      ...(field === 'workflow_version_id'
        ? { workflow_version_id: mine.version }
        : { workflow_id: mine.published }),
      ...(field === 'cog_ids' && { cog_ids: [mine.of('/cogs')] }),
    },
  }),
  changeTrigger: async (mine, field) => {
    const folder = { type: 'folder', name: 'New', folder_id: mine.folder };
    const { body } = await mine.admin.post('/workflows/triggers', {
      ...(field === 'folder_id' ? folder : schedule),
      workflow_id: mine.published,
    });
    const own = namedBy[field]?.(mine);
    return {
      path: `/workflows/triggers/${body.id}`,
      body: { [field]: field === 'cog_ids' ? [own] : own },
    };
  },
  publishWorkflowVersion: async ({ admin, of }) => {
    const published_version_id = await versionOf(admin, mappedGraph(of('/node_definitions')));
    const { body } = await admin.post(
      `/workflows/workflow-versions/${published_version_id}/publish`,
    );
    const next = (await admin.post(`/workflows/${body.workflow_id}/versions`, {})).body.id;
    return {
      path: `/workflows/workflow-versions/${next}/publish`,
      body: { published_version_id },
    };
  },
  startRun: (mine, field) => ({
    body: {
      cog_ids: [mine.of('/cogs')],
      ...(field === 'output_parent_id' && { output_parent_id: mine.folder }),
      ...(field === 'reuse_from_run_id' && { reuse_from_run_id: mine.ended }),
    },
  }),
};
