/**
 * Publishes outputs as files of the user who started the run, in the run's folder; or of whoever has
 * taken over from that user. Which outputs, `isPublished` tells.
 */
import type { Db } from '../../db/connection.ts';
import { DomainError } from '../../errors.ts';
import { addResults, type NewResult } from '../../resources/cogs/files/files.ts';
import { findHeir } from '../../resources/users/users.ts';
import type { RunState } from '../kernel/state.ts';
import { piecesOf } from '../pieces.ts';
import type { RunRow } from '../records.ts';
import { addResultFiles, findOutputsOf } from '../tables/outputs.ts';
import { outputFolder } from './output-folder.ts';

/** Publishes the results of a decision, after its outputs have been written. */
export async function publishResults(tx: Db, { run, rows, changes }: RunState): Promise<void> {
  const outputs: Awaited<ReturnType<typeof findOutputsOf>>[number][] = [];
  for (const piece of piecesOf(changes.published))
    for (const output of await findOutputsOf(tx, run.tenant_id, piece)) outputs.push(output);
  if (outputs.length === 0) return;
  const made = await addAll(
    tx,
    run,
    await findHeir(tx, run.tenant_id, run.started_by),
    outputs.map(({ name, object_id, media_type }) => ({ name, object_id, mime_type: media_type })),
  );
  const files = outputs.map((output, at) => {
    const { id: cog_id = 0, name = '' } = made[at] ?? {};
    return { ...output, node_key: rows.get(output.node_run_id)?.node_key ?? '', cog_id, name };
  });
  for (const piece of piecesOf(files)) await addResultFiles(tx, run, piece);
}

/** Adds them to the run's folder; to another one if that is deleted at the same moment. */
async function addAll(
  tx: Db,
  run: RunRow,
  owner_id: number,
  results: readonly NewResult[],
  tries = 3,
): Promise<{ id: number; name: string }[]> {
  const parent_id = await outputFolder(tx, run, owner_id);
  const folder = { tenant_id: run.tenant_id, parent_id, owner_id };
  try {
    return await addResults(tx, folder, results);
  } catch (error) {
    const isGone = error instanceof DomainError && error.problem === 'not_found';
    if (!isGone || tries <= 1) throw error;
    return addAll(tx, run, owner_id, results, tries - 1);
  }
}
