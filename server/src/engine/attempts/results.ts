/** Outputs of leaves become files of whoever started the run, in the run's folder. */
import type { Db } from '../../db/connection.ts';
import { DomainError } from '../../errors.ts';
import { addResult } from '../../resources/cogs/files.ts';
import type { RunState } from '../kernel/state.ts';
import type { RunRow } from '../records.ts';
import { addResultFiles, findOutputsOf } from '../tables/outputs.ts';
import { outputFolder } from './output-folder.ts';

/** Publishes what a decision says. The outputs have been written. */
export async function publishResults(tx: Db, { run, rows, changes }: RunState): Promise<void> {
  const outputs = await findOutputsOf(tx, run.tenant_id, changes.published);
  if (outputs.length === 0) return;
  let folder = await outputFolder(tx, run);
  const files = [];
  for (const output of outputs) {
    const [cog, into] = await publishResult(tx, run, output, folder);
    folder = into;
    const node_key = rows.get(output.node_run_id)?.node_key ?? '';
    files.push({ ...output, node_key, cog_id: cog.id, name: cog.name });
  }
  await addResultFiles(tx, run.tenant_id, run.id, files);
}

/** One cog, and the folder it is in: another one when somebody deletes ours at the same moment. */
async function publishResult(
  tx: Db,
  run: RunRow,
  output: { name: string; object_id: number; media_type: string },
  folderId: number,
  tries = 3,
): Promise<[{ id: number; name: string }, number]> {
  const file = {
    tenant_id: run.tenant_id,
    parent_id: folderId,
    name: output.name,
    owner_id: run.started_by,
    object_id: output.object_id,
    mime_type: output.media_type,
  };
  try {
    return [await addResult(tx, file), folderId];
  } catch (error) {
    const isGone = error instanceof DomainError && error.problem === 'not_found';
    if (!isGone || tries <= 1) throw error;
    return publishResult(tx, run, output, await outputFolder(tx, run), tries - 1);
  }
}
