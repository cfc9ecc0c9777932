/** Webhooks for tests, and senders that sign as Standard Webhooks. */
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Answer, Client } from './cast.ts';
import { type Stage, versionOf } from './runs.ts';
import { mappedGraph, registerNode } from './workflows.ts';

export type Hook = { id: number; url: string; secret: string; file: number; folder: number };

/** A workflow with two variables, over one file, whose run starts with a message. */
export async function webhook(
  { owner }: Pick<Stage, 'owner'>,
  given: Record<string, unknown> = {},
  by: Client = owner,
): Promise<Hook> {
  const graph = mappedGraph(await registerNode(by));
  const variables = [
    { variable_name: 'width', type: 'integer', required: false, default: 800 },
    { variable_name: 'title', type: 'string', required: false },
  ];
  const version = await versionOf(by, { ...graph, variables });
  const folder = (
    await by.post('/cogs', { name: `Inbox ${randomUUID()}`, cog_type: 'asset_folder' })
  ).body.id;
  const file = (await by.upload('scan.txt', 'bytes', folder)).body.id;
  const { status, body } = await by.post('/workflows/triggers', {
    name: 'Orders',
    type: 'webhook',
    workflow_version_id: version,
    cog_ids: [file],
    ...given,
  });
  if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(body)}`);
  return { id: body.id, url: body.url, secret: body.secret, file, folder };
}

type Options = { id?: string; secret?: string; at?: Date; headers?: Record<string, string> };

/** The headers of a message, signed with the secret of the webhook or another one. */
export function signed(
  { secret }: Pick<Hook, 'secret'>,
  body: string,
  { id = `msg_${randomUUID()}`, at = new Date(), headers, ...other }: Options = {},
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(other.secret ?? secret).sign(id, at, body),
    ...headers,
  };
}

/** Posts bytes as they are. */
export async function deliver(
  { url }: Pick<Hook, 'url'>,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Answer> {
  const answer = await fetch(url, { method: 'POST', body, headers });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** Signs a message and posts it. */
export function send(hook: Hook, message: unknown = {}, options: Options = {}): Promise<Answer> {
  const body = JSON.stringify(message);
  return deliver(hook, body, signed(hook, body, options));
}

export type HookDelivery = {
  id: number;
  verdict: string;
  workflow_run_id?: number;
  reason?: string;
};

/** What came to a webhook, the newest first. */
export const deliveriesOf = async (client: Client, { id }: Hook): Promise<HookDelivery[]> =>
  (await client.get(`/workflows/triggers/${id}/deliveries`)).body;

/** The oldest first. */
export const verdictsOf = async (client: Client, hook: Hook) =>
  (await deliveriesOf(client, hook)).map(({ verdict }) => verdict).toReversed();

/** The runs that a webhook has started. */
export const runsOf = async (client: Client, { id }: Hook): Promise<{ id: number }[]> =>
  (await client.get(`/workflows/workflow-runs?trigger_id=${id}`)).body;
