/** Results of runs for tests of where files come from. */
import { removePurged } from '../src/resources/cogs/trash/trash.ts';
import type { Client } from './cast.ts';
import { filesOf, look, run, stage, versionOf } from './runs.ts';
import { mappedGraph, registerNode } from './workflows.ts';

/** What is told of the origin of a file. */
export const provenance = async (by: Client, id: number, query = '') =>
  (await by.get(`/cogs/${id}/provenance${query}`)).body;

export type RunFile = { cog_id: number; direction: string; name: string };

/** The files that a run made, in the order of their lanes. */
export const resultsOf = async (by: Client, id: number): Promise<number[]> =>
  (await look(by, id)).run_files
    .filter(({ direction }: RunFile) => direction === 'output')
    .map(({ cog_id }: RunFile) => cog_id);

/** A run of one mapped node over these files, done. @returns the results in the order of the files. */
export async function mapped(names: string[], over: Record<string, unknown> = {}, node = {}) {
  const people = await stage();
  const { owner, worker } = people;
  const definition = await registerNode(owner, over);
  const version = await versionOf(owner, { ...mappedGraph(definition, node), ...variables(node) });
  const inputs = await filesOf(owner, ...names);
  const { body } = await run(owner, version, { cog_ids: inputs });
  await worker.work();
  const results = await resultsOf(owner, body.workflow_run_id);
  return { ...people, definition, version, inputs, results, id: body.workflow_run_id as number };
}

const variables = (node: { params?: { width?: unknown } }) => ({
  variables: node.params?.width
    ? [
        { variable_name: 'width', type: 'integer', default: 800 },
        { variable_name: 'label', type: 'string' },
      ]
    : [],
});

/** Stores other bytes as a new version of a file. */
export const newVersion = (by: Client, id: number, text: string) => {
  const form = new FormData();
  form.append('file', new Blob([text]), 'file');
  return by.fetch(`/cogs/${id}/content`, { method: 'POST', body: form });
};

/** Removes a file for ever. */
export const purge = async ({ owner, server }: Awaited<ReturnType<typeof mapped>>, id: number) => {
  await owner.delete(`/cogs/${id}`);
  await owner.delete(`/cogs/${id}?permanent=true`);
  while ((await removePurged(server.services.db, 100)) > 0);
};
