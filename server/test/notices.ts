/** Notices for tests, and runs whose ends they tell of. */
import assert from 'node:assert/strict';
import { sendDue } from '../src/resources/notices/deliveries/sending.ts';
import type { Services } from '../src/services.ts';
import type { Client } from './cast.ts';
import { run, type Stage, stage, versionOf } from './runs.ts';
import type { TestServer } from './server.ts';
import { mappedGraph, registerNode } from './workflows.ts';

export const allEvents = ['run.success', 'run.partial_success', 'run.failure', 'run.cancelled'];

/** What a test server needs so that receivers on this machine may be called. */
export const receiversAllowed = { OUTBOUND_ALLOW: '127.0.0.1' };

export type NoticeStage = Stage & { version: number; workflow: number };

export async function noticeStage(server: TestServer): Promise<NoticeStage> {
  const people = await stage(server);
  const { owner } = people;
  const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
  const { body } = await owner.get(`/workflows/workflow-versions/${version}`);
  return { ...people, version, workflow: body.workflow_id };
}

export type Made = { id: number; secret: string; at: string };

export async function notice(
  by: Client,
  url: string,
  given: Record<string, unknown> = {},
): Promise<Made> {
  const { status, body } = await by.post('/workflows/notices', {
    ...{ url, events: allEvents },
    ...given,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return { id: body.id, secret: body.secret, at: `/workflows/notices/${body.id}` };
}

let files = 0;

/** A run that has ended. @returns its id. */
export async function endedRun(
  { owner, worker, version }: NoticeStage,
  end: 'success' | 'failure' | 'cancelled' = 'cancelled',
): Promise<number> {
  files += 1;
  const file = (await owner.upload(`${files}.txt`, 'bytes')).body.id;
  const { workflow_run_id: id } = (await run(owner, version, { cog_ids: [file] })).body;
  if (end === 'cancelled') await owner.post(`/workflows/workflow-runs/${id}/cancel`, {});
  else
    await worker.work((order) => (end === 'success' ? worker.succeed(order) : worker.fail(order)));
  return id;
}

/** What an engine does each second. */
export const send = (
  { services }: TestServer,
  over: Partial<Services> = {},
  signal: AbortSignal = new AbortController().signal,
) => sendDue({ ...services, ...over }, signal);

export type Attempt = {
  attempted_at: string;
  duration_ms: number;
  status?: number;
  error?: string;
};
export type Delivery = {
  id: number;
  message_id: string;
  type: string;
  state: string;
  workflow_run_id?: number;
  next_attempt_at?: string;
  attempts: Attempt[];
};

/** The oldest first. */
export const deliveriesOf = async (client: Client, { at }: Made): Promise<Delivery[]> =>
  (await client.get(`${at}/deliveries`)).body.toReversed();

/** As if the time of the next attempts had come. */
export const nextAttempts = ({ services: { db } }: TestServer, { id }: Made) => db`
  update notice_deliveries set next_attempt_at = now() - interval '1 second' where notice_id = ${id}
`;
