/**
 * Where a run's results go: `Workflow outputs/<workflow>/<run id>/`, or `<run id>/` in the folder
 * given at the start, as long as the owner of the results may add to it: the starter, or whoever has
 * taken over from them. Those of a test have a folder of their own that is in no other.
 */
import type { Db } from '../../db/connection.ts';
import { DomainError } from '../../errors.ts';
import { addFolderBelow, openFolders } from '../../resources/cogs/files/files.ts';
import { addResultsFolder } from '../../resources/cogs/places/test-results.ts';
import type { RunRow } from '../records.ts';
import { findWorkflowName, setOutputFolder } from '../tables/outputs.ts';

/**
 * The folder for the next result. Users may delete the given folder, or revoke the owner's right to
 * it, while the run is under way. No result is lost: this and all later ones go to the owner's own
 * results folder, and the run records the reason.
 */
export async function outputFolder(tx: Db, run: RunRow, ownerId: number): Promise<number> {
  if (!run.keep_results) return testFolder(tx, run, ownerId);
  const { tenant_id, output_parent_id: given, output_folder_id: known } = run;
  const ids = [given, known].flatMap((id) => id ?? []);
  const folders = await openFolders(tx, tenant_id, ownerId, ids);
  const fallback = run.output_fallback ?? fallbackFrom(given, folders);
  const isKept = fallback === run.output_fallback;
  if (isKept && known !== undefined && folders.get(known) === 'open') return known;

  const below =
    given !== undefined && !fallback ? await folderBelowGiven(tx, run, ownerId, given) : undefined;
  const id = below ?? (await folderOfOwn(tx, run, ownerId));
  const reason = fallback ?? (given !== undefined && !below ? 'folder_gone' : undefined);
  await setOutputFolder(tx, tenant_id, run.id, id, reason);
  run.output_folder_id = id;
  if (reason) run.output_fallback = reason;
  return id;
}

/** Made with the first result. Nobody removes it while the run is under way. */
async function testFolder(tx: Db, run: RunRow, ownerId: number): Promise<number> {
  if (run.output_folder_id !== undefined) return run.output_folder_id;
  const id = await addResultsFolder(tx, run.tenant_id, ownerId, run.id);
  await setOutputFolder(tx, run.tenant_id, run.id, id, undefined);
  run.output_folder_id = id;
  return id;
}

function fallbackFrom(
  given: number | undefined,
  folders: Awaited<ReturnType<typeof openFolders>>,
): RunRow['output_fallback'] {
  if (given === undefined || folders.get(given) === 'open') return undefined;
  return folders.has(given) ? 'no_right' : 'folder_gone';
}

/** Undefined if the folder is being deleted, or the tree is too deep below it. */
async function folderBelowGiven(
  tx: Db,
  { tenant_id, id }: RunRow,
  ownerId: number,
  given: number,
): Promise<number | undefined> {
  return addFolderBelow(tx, tenant_id, ownerId, given, [], String(id)).catch((error: unknown) => {
    if (error instanceof DomainError) return undefined;
    throw error;
  });
}

async function folderOfOwn(tx: Db, run: RunRow, ownerId: number): Promise<number> {
  const workflow = folderName(await findWorkflowName(tx, run.tenant_id, run.workflow_id));
  return addFolderBelow(tx, run.tenant_id, ownerId, null, [workflow], String(run.id));
}

/** Removes from a workflow's name what a folder's name may not contain. */
function folderName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[/\p{Cc}]/gu, '_')
    .trim();
  const short = Buffer.from(plain)
    .subarray(0, 200)
    .toString()
    .replace(/\ufffd+$/, '');
  return short === '' || short === '.' || short === '..' ? '_' : short;
}
