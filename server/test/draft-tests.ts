/** Tests of drafts: runs whose results are not kept, and the duties that remove them. */
import assert from 'node:assert/strict';
import { removeDeletedOutputs } from '../src/engine/duties/deleted-runs.ts';
import { removeTestResults } from '../src/engine/duties/test-results.ts';
import { readUsage } from '../src/objects/quota.ts';
import type { Client } from './cast.ts';
import { collectAll } from './duties.ts';
import { filesOf, look, run, type Stage, versionOf } from './runs.ts';
import type { Order } from './worker.ts';
import { registerNode } from './workflows.ts';

export type MadeFile = {
  cog_id: number;
  direction: string;
  node_key?: string;
  name: string;
  checksum_sha256: string;
};

/** A draft whose `second` takes what `first` made of a file. */
export async function draft(client: Client): Promise<number> {
  const one = await registerNode(client);
  return versionOf(client, {
    nodes: ['first', 'second'].map((key) => ({ key, node_definition_id: one, map: true })),
    edges: [
      { from: { input: 'files' }, to: { node: 'first', port: 'in' } },
      { from: { node: 'first', port: 'out' }, to: { node: 'second', port: 'in' } },
    ],
    inputs: [{ name: 'files' }],
    variables: [],
  });
}

/** What became files of what a run made: in a test the outputs of all its nodes. */
export const made = ({ run_files }: { run_files: MadeFile[] }) =>
  run_files.filter(({ direction }) => direction === 'output');

/** What the worker does with an order: it succeeds, with a text of its own. */
export const play =
  ({ worker }: Stage) =>
  (order: Order) =>
    worker.succeed(order, [
      { port: 'out', name: 'tested.txt', text: `${order.node_key} of run ${order.run_id}` },
    ]);

/** A run of all, or until `second`, that has ended. Its files are those of `second`. */
export async function test(people: Stage, version: number, over: Record<string, unknown> = {}) {
  const { owner } = people;
  const cog_ids = over.cog_ids ?? (await filesOf(owner, `${crypto.randomUUID()}.txt`));
  const started = await run(owner, version, { cog_ids, until: 'second', ...over });
  assert.equal(started.status, 202, JSON.stringify(started.body));
  const id: number = started.body.workflow_run_id;
  const orders = await people.worker.work(play(people));
  const ended = await look(owner, id);
  const files = made(ended).filter(({ node_key }) => node_key === 'second');
  return { id, ended, files, keys: orders.map(({ node_key }) => node_key), cog_ids };
}

/** As if the run had ended so long ago. */
export const endedAgo = ({ server }: Stage, id: number, hours: number) => server.services.db`
  update workflow_runs set finished_at = now() - ${hours} * interval '1 hour' where id = ${id}
`;

/** All that the duties do, in the smallest portions. */
export async function remove({ server }: Stage) {
  const { db } = server.services;
  while ((await removeTestResults(db, 1)) > 0);
  while ((await removeDeletedOutputs(db, 1)) > 0);
  await collectAll(server.services);
}

/** Of a download. */
export const statusOf = async (by: Client, id: number | undefined) =>
  (await by.fetch(`/cogs/${id}/download`)).status;

/** How many bytes the tenant stores. */
export const usedBy = async ({ server, owner }: Stage) =>
  (await readUsage(server.services.db, owner.user.tenant_id)).used_bytes;

/** Looks where the bytes of a file are. @returns whether they are still there, when called. */
export const isStored = async ({ server }: Stage, { cog_id }: MadeFile) => {
  const { db, storage } = server.services;
  const [object] = await db<{ key: string }[]>`
    select key from cogs join objects on objects.id = object_id where cogs.id = ${cog_id}
  `;
  return async () => (await storage.stat(object?.key ?? '')) !== undefined;
};
