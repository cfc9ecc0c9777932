/** Every operation of the contract, and one tenant's ids for their paths. */
import { setPassword } from '../../src/resources/auth/passwords.ts';
import { type Cast, type Client, cast, client } from '../cast.ts';
import { send as deliver, webhook } from '../hooks.ts';
import { signIn } from '../sign-in.ts';
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
      isList: (operation.parameters ?? []).some(
        (parameter: Json) => parameter.name === 'with_total',
      ),
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
  const secrets: { id: number; is_managed: boolean }[] = (await admin.get('/secrets')).body;
  const secret = Number(secrets.find(({ is_managed }) => !is_managed)?.id);
  const announced = { name: 'large.bin', file_size: 1 };
  const upload = (await owner.post('/cogs/uploads/initiate', announced)).body.upload_id;
  const key = (await owner.post('/api-keys', { description: 'law' })).body.id;
  const url = (await owner.post(`/cogs/${file}/download-url`, {})).body;
  const trigger = (
    await owner.post('/workflows/triggers', {
      ...{ name: 'Law', type: 'schedule', cron: '0 0 1 1 *', workflow_version_id: version },
    })
  ).body.id;
  const template = (
    await owner.post('/workflow-templates', { name: 'Law', workflow_version_id: version })
  ).body.id;
  const hook = await webhook(people);
  await deliver(hook);
  const delivery = (await owner.get(`/workflows/triggers/${hook.id}/deliveries`)).body[0].id;
  await setPassword(server.services.db, admin.user.id, 'a password of the laws');
  const signedIn = await signIn(server, admin.user.email, 'a password of the laws');
  const session = (await client(server.url, signedIn.access_token).get('/me/sessions')).body[0].id;
  const invited = { email: 'law@example.test', role: 'member' };
  const invitation = (await admin.post('/invitations/', invited)).body.id;
  const { body: notice } = await owner.post('/workflows/notices', {
    ...{ url: 'https://example.com/hooks', events: ['run.success'] },
  });
  const { body: message } = await owner.post(`/workflows/notices/${notice.id}/test`);
  const worker = await scriptedWorker(server, owner.user.tenant_id);
  const [order] = await worker.acquire();

  const ids: [RegExp, Record<string, number | string>][] = [
    [/^\/api-keys/, { id: key }],
    [/^\/cogs\/download-urls/, { id: url.id }],
    [/^\/d\//, { token: url.url.slice(url.url.lastIndexOf('/') + 1) }],
    [/^\/(cogs|permissions\/cogs)/, { id: file, version: 1, upload_id: upload, run_id: run }],
    [/^\/permissions/, { permission_id: grant }],
    [/^\/node_definitions/, { id: definition }],
    [/^\/secrets/, { id: secret }],
    [/^\/platform\/tenants/, { id: admin.user.tenant_id }],
    [/^\/invitations/, { id: invitation }],
    [/^\/me\/sessions/, { id: session }],
    [/^\/users/, { id: people.viewer.user.id }],
    [/^\/workers/, { id: worker.id, attempt_id: order.attempt_id }],
    [/^\/hooks/, { public_id: hook.url.slice(hook.url.lastIndexOf('/') + 1) }],
    [
      /^\/workflows\/triggers\/\{id\}\/(deliveries|rotate-secret)/,
      { id: hook.id, delivery_id: delivery },
    ],
    [/^\/workflow-templates/, { id: template, name: 'harbour.txt' }],
    [/^\/workflows\/triggers/, { id: trigger }],
    [/^\/workflows\/notices/, { id: notice.id, delivery_id: message.id }],
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
  changeOrganization: () => ({ name: 'renamed' }),
  changeTenant: () => ({ name: 'renamed' }),
  addTenantCredits: () => ({ credits: 1 }),
  changeTrigger: () => ({ name: 'renamed' }),
  instantiateWorkflowTemplate: () => ({ name: 'Law' }),
  rotateTriggerSecret: () => ({}),
  changeNotice: () => ({ name: 'renamed' }),
  rotateNoticeSecret: () => ({}),
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
