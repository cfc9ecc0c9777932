/** The inputs of a run: files of the service, and local files. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import type { Cli } from './command.ts';
import { findCog } from './paths.ts';
import { Problem, UsageProblem } from './problem.ts';
import { findLocal, localKind, localNameOf, sendFiles } from './sending.ts';

/** In the order typed, which is also the order in which a workflow gathers them. */
export type Inputs = ({ local: string } | { cog: Cog })[];

export type SentInputs = {
  cog_ids: number[];
  /** Removes the uploads for a run that was refused with this error. */
  takeBack(error: unknown): Promise<void>;
};

/** A word that names a local file means that file; any other is a PATH of the service. */
export async function findInputs(cli: Cli, words: string[]): Promise<Inputs> {
  const inputs: Inputs = [];
  for (const word of words) {
    const kind = await localKind(cli.dir, word);
    if (kind === 'file') {
      inputs.push({ local: word });
      continue;
    }
    const cog = await findCog(cli, word).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      const here =
        kind === 'folder' ? `is a folder on this machine; name the files in it` : undefined;
      throw new Problem(
        here ? `${word} ${here}.` : `There is no file ${word} on this machine. ${error.message}`,
      );
    });
    inputs.push({ cog });
  }
  requireDifferentNames(cli, inputs);
  return inputs;
}

/** They are uploaded to one folder. */
function requireDifferentNames({ dir }: Cli, inputs: Inputs) {
  const names = inputs.flatMap((input) => ('local' in input ? localNameOf(dir, input.local) : []));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new UsageProblem(`Two files are called ${twice}.`);
}

/** Uploads the local files into a new folder named after the workflow. */
export async function sendInputs(
  cli: Cli,
  inputs: Inputs,
  workflowName: string,
): Promise<SentInputs> {
  const isLocal = inputs.some((input) => 'local' in input);
  const folder = isLocal ? await makeFolder(cli, workflowName) : undefined;
  const takeBack = async (error: unknown) => {
    // Without an answer the run may have started after all.
    const isRefused = error instanceof ApiError && error.status < 500;
    if (folder && isRefused) await removeFolder(cli, folder);
  };
  if (!folder) {
    return { cog_ids: inputs.flatMap((input) => ('cog' in input ? [input.cog.id] : [])), takeBack };
  }
  try {
    const words = inputs.flatMap((input) => ('local' in input ? input.local : []));
    const files = await findLocal(cli.dir, words);
    const onFault = (error: unknown) => {
      throw error;
    };
    const sent = (await sendFiles(cli, files, { parent_id: folder.id, onFault })).values();
    const cogs = inputs.flatMap((input) =>
      'cog' in input ? input.cog : (sent.next().value ?? []),
    );
    const cog_ids = cogs.map(({ id }) => id);
    return { cog_ids, takeBack };
  } catch (error) {
    await removeFolder(cli, folder);
    throw error;
  }
}

/**
 * Creates a new folder for each run: in a shared one the file names of earlier runs would collide.
 */
async function makeFolder({ client, signal }: Cli, workflowName: string): Promise<Cog> {
  const now = new Date().toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.');
  const plainName = workflowName
    .replace(/[/\p{Cc}]+/gu, ' ')
    .slice(0, 50)
    .toWellFormed();
  for (let attempt = 1; ; attempt++) {
    const name = `${plainName} ${now}${attempt > 1 ? ` (${attempt})` : ''}`;
    try {
      return await client.createFolder({ body: { name, cog_type: 'asset_folder' }, signal });
    } catch (error) {
      const isTaken = error instanceof ApiError && error.code === 'name_collision';
      if (!isTaken || attempt === 10) throw error;
    }
  }
}

/**
 * Also after Ctrl-C, so without its signal. Only the original error is reported, not a failure
 * here.
 */
async function removeFolder({ client }: Cli, { id }: Cog): Promise<void> {
  const signal = AbortSignal.timeout(3000);
  await client.deleteCog({ path: { id }, signal }).catch(() => undefined);
}
