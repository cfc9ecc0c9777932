/** Triggers of new files for tests. */
import assert from 'node:assert/strict';
import { placeArrivals } from '../src/resources/triggers/folders/arriving.ts';
import { fireFolders } from '../src/resources/triggers/folders/firing.ts';
import type { GraphThreads } from '../src/resources/workflows/graph-bodies.ts';
import type { Client } from './cast.ts';
import { look, type Stage, versionOf } from './runs.ts';
import type { TestServer } from './server.ts';
import { mappedGraph, registerNode } from './workflows.ts';

/** As an engine does each second, for files that have waited long enough. */
export async function duty(server: TestServer, threads: GraphThreads) {
  await place(server);
  await fireFolders({ ...server.services, threads });
}

/** Notes which files have come. */
export async function place({ services }: TestServer) {
  for (let placed = 1; placed > 0; ) placed = await placeArrivals(services.db, 100);
}

export type Watch = { id: number; folder: number };

export const newFolder = async (
  client: Client,
  name: string,
  parent_id?: number,
): Promise<number> =>
  (await client.post('/cogs', { name, cog_type: 'asset_folder', parent_id })).body.id;

/** A trigger of the files that come into a folder of its own. */
export async function watched(
  { owner }: Stage,
  given: Record<string, unknown> = {},
  by: Client = owner,
): Promise<Watch> {
  const version = await versionOf(by, mappedGraph(await registerNode(by)));
  const folder = await newFolder(by, `Inbox ${version}`);
  const { status, body } = await by.post('/workflows/triggers', {
    name: 'New scans',
    type: 'folder',
    workflow_version_id: version,
    folder_id: folder,
    debounce_seconds: 0,
    ...given,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return { id: body.id, folder };
}

export const put = async (
  client: Client,
  name: string,
  folder: number,
  type?: string,
): Promise<number> => (await client.upload(name, `bytes of ${name}`, folder, type)).body.id;

/** The files that each run of the trigger began with, oldest run first. */
export async function runFiles(client: Client, { id }: Watch): Promise<string[][]> {
  const { body } = await client.get(`/workflows/workflow-runs?trigger_id=${id}`);
  const runs = body.map((run: { id: number }) => run.id).toSorted((a: number, b: number) => a - b);
  return Promise.all(
    runs.map(async (run: number) =>
      (await look(client, run)).run_files.map(({ name }: { name: string }) => name).toSorted(),
    ),
  );
}
