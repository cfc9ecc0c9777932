/** Saves the results of a run on this machine. */
import type { WorkflowRun } from '@cogworks/sdk/contract.gen';
import type { Cli } from './command.ts';
import { namesIn } from './local-names.ts';
import { nameRules } from './local-plan.ts';
import { outputsOf } from './outcome.ts';
import { type Saved, type SaveOptions, saveFiles } from './save-many.ts';
import { makeTarget } from './saving.ts';

/** Saves every output it can, and reports why others failed. @param into is made if it is missing. */
export async function saveOutputs(
  cli: Cli,
  ended: WorkflowRun,
  { into, overwrite }: SaveOptions,
): Promise<Saved[]> {
  const outputs = outputsOf(ended);
  if (outputs.length === 0) return [];
  await makeTarget(into);
  const nameOf = namesIn(await nameRules(into));
  const files = outputs.map(({ cog_id, name, size_bytes, checksum_sha256 }) => ({
    ...{ id: cog_id, size_bytes, checksum_sha256, isPinned: true },
    ...{ name, to: nameOf(name) },
  }));
  return saveFiles(cli, files, { into, overwrite });
}
